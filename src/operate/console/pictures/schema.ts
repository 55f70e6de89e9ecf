import { Closed, IdReference } from '../../../core/schemas.ts'
import { Type } from '../../../core/typebox.ts'

export const PictureParams = Closed({
  pictureId: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'The id in the address of an uploaded picture: the SHA-256 of its bytes.',
    examples: ['5e'.repeat(32)],
  }),
})

export const FaceParams = Closed({ fanId: IdReference('The fan.') })
export const FaceQuery = Closed({
  stated: Type.Optional(
    Type.String({
      maxLength: 2_048,
      description:
        'Address of a picture of the provider, such as a reported one: the response is this picture, if the provider still states it for the fan, and else has no body.',
      examples: ['https://id.example/faces/7.png'],
    }),
  ),
})

export const StoredPicture = Type.String({ contentMediaType: 'image/webp', description: 'The file.' })
export const NoPicture = Type.Void({ description: 'The fan has no picture that can be shown.' })
