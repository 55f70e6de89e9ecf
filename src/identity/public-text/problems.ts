/** Problems of texts that fans show to others. */
import { defineProblems } from '../../core/problems.ts'
import { Closed, Nullable } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'

export const publicTextProblems = defineProblems({
  terms_not_accepted: {
    status: 403,
    title: 'You have not accepted the terms',
    description:
      'To write texts that other fans read, the fan must accept the terms of version `required`. Show the terms, and accept them with `PUT /api/user/terms`.',
    members: Closed({
      required: Type.String({ description: 'The version to accept.' }),
      url: Nullable(Type.String(), {
        description: 'The address of the terms. Null if the club has not set it.',
      }),
    }),
    example: { required: '2026-08', url: 'https://club.example/terms' },
  },
  text_not_allowed: {
    status: 422,
    title: 'This text is not allowed here',
    description:
      'A text that other fans read contains a forbidden word, or a name is reserved for the club. `errors` has a pointer to each such text. Ask the user for another text.',
  },
  terms_version_not_current: {
    status: 409,
    title: 'These are not the current terms',
    description:
      'The terms of this version are not in force. Read `required` of `GET /api/user/terms`, show these terms, and accept them.',
  },
})
