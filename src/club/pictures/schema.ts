import { Bytes, Closed, Integer } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

/** Bytes. Less than what `listen-options.ts` accepts. */
export const MAX_UPLOAD_BYTES = 6 * 1024 * 1024

export const PictureUpload = Bytes(
  MAX_UPLOAD_BYTES,
  ['image/jpeg', 'image/png', 'image/webp'],
  'The bytes of a JPEG, PNG or WebP picture, of at most 6 MiB, 25 million pixels, and 16,384 pixels in width and height. Their format is read from the bytes.',
)

export const Picture = Closed(
  {
    url: Type.String({
      description:
        'A path of the API’s origin, for `avatarUrl` of the profile, or for entries of the catalogue.',
      examples: [`/uploads/${'5e'.repeat(32)}.webp`],
    }),
    width: Integer({ minimum: 1, description: 'Pixels.' }),
    height: Integer({ minimum: 1, description: 'Pixels.' }),
    bytes: Integer({ minimum: 1, description: 'Size of the stored file.' }),
  },
  { title: 'Picture' },
)
export type Picture = typeof Picture.static

export const examplePicture: Picture = {
  url: `/uploads/${'5e'.repeat(32)}.webp`,
  width: 512,
  height: 512,
  bytes: 24_310,
}
