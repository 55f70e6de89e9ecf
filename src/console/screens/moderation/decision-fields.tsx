/** What each decision states: a reason from the list, and an internal note. */
import { SelectField, TextArea } from '../../parts/form.tsx'
import { REASONS, type ReasonName } from './words.ts'

export interface Written {
  reason: ReasonName
  note: string
}

/** The members of a body. An empty note is left out. */
export function bodyOf({ reason, note }: Written) {
  const text = note.trim()
  return { reason, ...(text === '' ? {} : { note: text }) }
}

interface DecisionFieldsProps {
  value: Written
  onChange: (value: Written) => void
  /** About several fans. */
  many?: boolean
  /** A note has no effect without its text. */
  noteRequired?: boolean
}

/** Enter in the list of reasons sends the decision. */
export const DecisionFields = ({
  value,
  onChange,
  many = false,
  noteRequired = false,
}: DecisionFieldsProps) => (
  <>
    <SelectField
      label="Reason"
      pointer="/reason"
      hint={many ? 'The fans see it, but not who decided.' : 'The fan sees it, but not who decided.'}
      required
      value={value.reason}
      options={REASONS}
      onChange={reason => onChange({ ...value, reason })}
    />
    <TextArea
      label="Internal note"
      pointer="/note"
      hint={many ? 'For moderators.' : 'For moderators. An erasure of the fan deletes it.'}
      max={500}
      rows={2}
      required={noteRequired}
      autofocus={noteRequired}
      value={value.note}
      onChange={note => onChange({ ...value, note })}
    />
  </>
)
