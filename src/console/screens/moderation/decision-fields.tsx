/** What each decision states: a reason from the list, the facts of a sanction, and an internal note. */
import { SelectField, TextArea } from '../../parts/form.tsx'
import { REASONS, type ReasonName } from './words.ts'

export interface Written {
  reason: ReasonName
  facts: string
  note: string
}

/** The members of a body. Empty texts are left out. */
export function bodyOf({ reason, facts, note }: Written) {
  const [shown, internal] = [facts.trim(), note.trim()]
  return {
    reason,
    ...(shown === '' ? {} : { facts: shown }),
    ...(internal === '' ? {} : { note: internal }),
  }
}

interface DecisionFieldsProps {
  value: Written
  onChange: (value: Written) => void
  /** A sanction states what happened. */
  asksFacts?: boolean
  /** About several fans. */
  many?: boolean
  /** A note has no effect without its text. */
  noteRequired?: boolean
}

/** Enter in the list of reasons sends the decision. */
export const DecisionFields = ({
  value,
  onChange,
  asksFacts = false,
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
    {asksFacts && (
      <TextArea
        label="Facts"
        pointer="/facts"
        hint={many ? 'Each fan sees them: what, where and when.' : 'The fan sees them: what, where and when.'}
        max={1_000}
        rows={3}
        required
        value={value.facts}
        onChange={facts => onChange({ ...value, facts })}
      />
    )}
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
