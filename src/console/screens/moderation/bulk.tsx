/** One decision about several cases. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { BulkDialog } from '../../parts/bulk.tsx'
import { SelectField, TextArea } from '../../parts/form.tsx'
import { KINDS, type Kind, nameOf, REASONS, type ReasonName } from './words.ts'

type ListedCase = Data<'listCases'>['cases'][number]
/** A suspension and a note are about one fan. */
export const BULK_KINDS = ['dismiss', 'hide', 'mute'] as const satisfies Kind[]

interface DecideProps {
  kind: (typeof BULK_KINDS)[number]
  cases: ListedCase[]
  onDone: () => unknown
  onClose: () => unknown
}

export function DecideCases({ kind, cases, onDone, onClose }: DecideProps) {
  const [reason, setReason] = useState<ReasonName>('other')
  const [note, setNote] = useState('')
  const { action, about } = KINDS[kind]
  return (
    <BulkDialog
      title={`${action}: ${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`}
      action={action}
      tone={kind === 'hide' ? 'danger' : 'primary'}
      items={cases.map(one => ({ key: one.caseId, name: `${nameOf(one.fan)}: ${one.subjectKind}` }))}
      asksReason={false}
      fields={
        <>
          <p class="dialog-text">{about}</p>
          <SelectField
            label="Reason"
            hint="The fans see it, but not who decided."
            required
            value={reason}
            options={REASONS}
            onChange={setReason}
          />
          <TextArea
            label="Internal note"
            hint="For moderators."
            max={500}
            rows={2}
            value={note}
            onChange={setNote}
          />
        </>
      }
      send={({ key: caseId }) =>
        api.decideCase({ caseId, kind, reason, ...(note.trim() === '' ? {} : { note: note.trim() }) })
      }
      onDone={onDone}
      onClose={onClose}
    />
  )
}
