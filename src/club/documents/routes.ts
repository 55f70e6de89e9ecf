import { Closed, Slug } from '../../core/schemas.ts'
import { Type } from '../../core/typebox.ts'
import type { PublicReads } from '../../platform/cache/public-reads.ts'
import { publicReaders } from '../../platform/http/contract/group.ts'
import { LanguageQuery } from '../../platform/http/contract/language.ts'
import { operation } from '../../platform/http/contract/operation.ts'
import { documentKind } from './document-kind.ts'

const Document = Closed(
  {
    id: Slug('Slug of the document.'),
    version: Type.String({ description: 'Version of the text.' }),
    purpose: Type.String({ description: 'What it is for, such as terms or marketing.' }),
    text: Type.String({ description: 'For the fan to read.' }),
    required: Type.Boolean({ description: 'Whether the app does not continue without it.' }),
  },
  { title: 'Document' },
)

const example = {
  id: 'newsletter',
  version: '2026-07',
  purpose: 'marketing',
  text: 'I want news and offers of the club by e-mail.',
  required: false,
}

export const documentsRoutes = (deps: { publicReads: PublicReads }) =>
  publicReaders(deps, { prefix: '/api/documents', tag: 'Consents' }).get(
    '',
    ({ readPublic }) => readPublic(documentKind.getActive),
    operation({
      id: 'listDocuments',
      summary: 'List the documents to agree to',
      description: 'The current documents of the club, by id, at most one for each purpose.',
      conditional: true,
      query: Closed(LanguageQuery),
      responses: {
        200: Closed({ documents: Type.Array(Document, { description: 'By id.' }) }, { title: 'Documents' }),
      },
      examples: { 200: { documents: [example] } },
    }),
  )
