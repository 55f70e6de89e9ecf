/** Problems of uploaded pictures. */
import { defineProblems } from '../../core/problems.ts'

export const pictureProblems = defineProblems({
  picture_not_supported: {
    status: 415,
    title: 'This is not a JPEG, PNG or WebP picture',
    description:
      'The bytes are another format, such as SVG, GIF or HEIC, or the picture is animated. Send a still JPEG, PNG or WebP picture as the body, not as a form.',
  },
  picture_damaged: {
    status: 422,
    title: 'The picture is damaged',
    description: 'The picture is not complete or cannot be decoded. Ask the user for another picture.',
  },
  picture_too_large: {
    status: 422,
    title: 'The picture has too many pixels',
    description: 'Width times height exceeds the limit that `detail` states. Send a smaller picture.',
  },
  picture_quota_reached: {
    status: 409,
    title: 'You have uploaded too many pictures',
    description:
      'The fan has as many pictures as `detail` states. Pictures that the profile does not use are deleted a day after their upload.',
  },
  picture_hidden: {
    status: 409,
    title: 'Moderators have hidden this picture',
    description: 'Moderators have hidden another fan with this picture. Ask the user for another picture.',
  },
  uploads_unavailable: {
    status: 503,
    title: 'Pictures cannot be stored now',
    description:
      'The store of pictures cannot be reached, or this server has none. Send the request again after `Retry-After`.',
  },
})
