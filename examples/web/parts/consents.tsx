/** Documents of the club with a choice each. Nothing is chosen for the fan. */
import type { readDocuments } from '../api.ts'
import { text } from '../lang/lang.ts'

export type Document = Awaited<ReturnType<typeof readDocuments>>['documents'][number]

interface ConsentChoicesProps {
  documents: Document[]
  granted: (document: Document) => boolean
  onChange: (document: Document, granted: boolean) => unknown
  /** A form is not sent without those that are required. */
  inForm?: boolean
}

export const ConsentChoices = ({ documents, granted, onChange, inForm = false }: ConsentChoicesProps) => (
  <ul class="consents">
    {documents.map(document => (
      <li key={document.id}>
        <label class="radio">
          <input
            type="checkbox"
            checked={granted(document)}
            required={inForm && document.required}
            onChange={event => onChange(document, event.currentTarget.checked)}
          />
          <span>
            <span dir="auto">{document.text}</span>
            {document.required && <span class="quiet"> {text.consents.required}</span>}
          </span>
        </label>
      </li>
    ))}
  </ul>
)
