/** Problems of texts that fans show to others. */
import { defineProblems } from '../../core/problems.ts'
import { Closed, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const publicTextProblems = defineProblems({
  terms_not_accepted: {
    status: 403,
    title: 'You have not accepted the terms',
    description:
      'Texts that other fans read require that the fan has accepted the terms of version `required`. Show them, and accept them with `PUT /api/user/terms`.',
    members: Closed({
      required: Type.String({ description: 'The version to accept.' }),
      url: Nullable(Type.String(), { description: 'Where the terms are. Null if the club does not say.' }),
    }),
    example: { required: '2026-08', url: 'https://club.example/terms' },
  },
  text_not_allowed: {
    status: 422,
    title: 'This text is not allowed here',
    description:
      'A word in a text that other fans read is on the list of the club, or a name is one of the club. `errors` has a pointer to each such text. Ask the user for other words.',
  },
  terms_version_not_current: {
    status: 409,
    title: 'These are not the current terms',
    description:
      'The terms of this version are not those in force. Read `required` of `GET /api/user/terms`, show these terms, and accept them.',
  },
})
