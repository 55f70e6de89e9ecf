/** One decision about several cases. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { BulkDialog } from '../../parts/bulk.tsx'
import { bodyOf, DecisionFields, type Written } from './decision-fields.tsx'
import { KINDS, type Kind, nameOf, SUBJECTS } from './words.ts'

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
  const [written, setWritten] = useState<Written>({ reason: 'other', facts: '', note: '' })
  const { action, about } = KINDS[kind]
  return (
    <BulkDialog
      title={`${action}: ${cases.length} ${cases.length === 1 ? 'case' : 'cases'}`}
      action={action}
      tone={kind === 'hide' ? 'danger' : 'primary'}
      items={cases.map(one => ({
        key: one.caseId,
        name: `${nameOf(one.fan)}: ${SUBJECTS[one.subjectKind]}`,
      }))}
      asksReason={false}
      fields={
        <>
          <p class="dialog-text">{about}</p>
          <DecisionFields many asksFacts={kind !== 'dismiss'} value={written} onChange={setWritten} />
        </>
      }
      send={({ key: caseId }) => api.decideCase({ caseId, kind, ...bodyOf(written) })}
      onDone={onDone}
      onClose={onClose}
    />
  )
}
