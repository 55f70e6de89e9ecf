/** Problems of consents. */
import { defineProblems } from '../../core/problems.ts'
import { Type } from '../../core/typebox.ts'

export const consentProblems = defineProblems({
  document_not_found: {
    status: 404,
    title: 'There is no document for this purpose',
    description: 'The club asks for no consent of this purpose. Read the documents again.',
    members: Type.Object({ purpose: Type.String({ description: 'The purpose.' }) }),
    example: { purpose: 'marketing' },
  },
  document_version_not_current: {
    status: 409,
    title: 'The document has changed',
    description:
      'A fan agrees to the current version of a document, and this is another one. Read the documents again, and show the text. A withdrawal is accepted with any version.',
    members: Type.Object({
      purpose: Type.String({ description: 'The purpose.' }),
      version: Type.String({ description: 'The current version.' }),
    }),
    example: { purpose: 'marketing', version: '2026-07' },
  },
})
