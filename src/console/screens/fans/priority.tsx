/** The list of fans by their total in an account, for the ticket office: as a file, also of an earlier time. */
import { useState } from 'preact/hooks'
import { api, type Data, download } from '../../api.ts'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { NumberField, SelectField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { useResource } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Failed, Note, Skeleton } from '../../parts/states.tsx'
import { toast } from '../../parts/toast.tsx'

type Changes = NonNullable<Data<'readPriorityTerms'>['changes']>

export function PriorityDialog({ onClose }: { onClose: () => unknown }) {
  const [chosen, setAccount] = useState<string | null>(null)
  const [membership, setMembership] = useState('')
  const [from, setFrom] = useState<number | null>(null)
  const [asOf, setAsOf] = useState<string | null>(null)
  const { data, error, reload } = useResource('priority terms', signal =>
    api.readPriorityTerms({}, { signal }),
  )
  const account = chosen ?? data?.accounts[0]?.id ?? ''
  const isEarlier = account !== '' && asOf !== null
  const since = useResource(isEarlier ? `priority ${account} ${asOf}` : null, signal =>
    api.readPriorityTerms({ account, asOf: asOf ?? '' }, { signal }),
  )
  return (
    <ReasonDialog
      title="Priority list"
      action="Download CSV"
      blocked={account === '' && 'The catalogue has no account.'}
      fields={
        data === null ? (
          error === null ? (
            <Skeleton lines={4} />
          ) : (
            <Failed error={error} onRetry={reload} />
          )
        ) : (
          <>
            <SelectField
              label="Account"
              pointer="/account"
              required
              value={account}
              options={data.accounts.map(({ id, name }) => ({ value: id, title: name }))}
              onChange={setAccount}
            />
            <NumberField
              label="From"
              pointer="/from"
              hint="The lowest total. Empty: all with a total."
              value={from}
              onChange={setFrom}
            />
            <SelectField
              label="Membership"
              pointer="/membership"
              value={membership}
              options={[
                { value: '', title: 'All fans' },
                ...data.kinds.map(({ id, name }) => ({ value: id, title: name })),
              ]}
              onChange={setMembership}
            />
            <TimeField
              label="As of"
              pointer="/asOf"
              hint="The time of an earlier list, which is then the same. Empty: now."
              value={asOf}
              onChange={setAsOf}
            />
            {since.data?.changes && <Since changes={since.data.changes} />}
          </>
        )
      }
      onConfirm={async reason => {
        const filter = {
          ...(from === null ? {} : { from }),
          ...(membership === '' ? {} : { membership }),
          ...(asOf === null ? {} : { asOf }),
        }
        await download('exportPriority', { account, reason, ...filter }, `priority-${account}.csv`)
        toast('The list was exported.')
      }}
      onClose={onClose}
    >
      <p>
        Fans by their total, the highest first; of equal ones, who reached it first. With the numbers of their
        memberships.
      </p>
    </ReasonDialog>
  )
}

const WORDS: [Exclude<keyof Changes, 'catalogue'>, one: string, many: string][] = [
  ['added', 'entry was added for an earlier time', 'entries were added for an earlier time'],
  ['takenBack', 'entry was taken back', 'entries were taken back'],
  ['merged', 'fan was merged into another', 'fans were merged into others'],
  ['erased', 'fan was erased and is left out', 'fans were erased and are left out'],
  ['memberships', 'membership was written or changed', 'memberships were written or changed'],
]

/** Why a list of now differs. */
function Since({ changes }: { changes: Changes }) {
  const told = [
    ...WORDS.flatMap(([name, one, many]) =>
      changes[name] === 0 ? [] : [`${formatCount(changes[name])} ${changes[name] === 1 ? one : many}`],
    ),
    ...(changes.catalogue ? ['the account or a season was changed'] : []),
  ]
  return (
    <Note>
      {told.length === 0
        ? 'Nothing that concerns the list has changed since.'
        : `Since then ${told.join('; ')}.`}
    </Note>
  )
}
