/** Accounts of a fan: totals, tiers with their changes, and the entries of one account. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { SelectField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Figure, Figures, Section } from '../../parts/page.tsx'
import { usePages, useResource } from '../../parts/resource.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { None, Points, Time } from '../../parts/values.tsx'
import { entryColumns } from './entry-columns.tsx'

type Status = Data<'readFanAccounts'>
type Account = Status['accounts'][number]
type Change = Status['changes'][number]

const CHANGES = {
  'tier.reached': 'Reached',
  'tier.at_risk': 'May lose after the season',
  'tier.lost': 'Lost',
} satisfies Record<Change['type'], string>

export function AccountsTab({ fanId }: { fanId: string }) {
  const status = useResource(`fan ${fanId} accounts`, signal => api.readFanAccounts({ fanId }, { signal }))
  return (
    <Loaded of={status}>
      {({ accounts, changes }) =>
        accounts.length === 0 ? (
          <Empty icon="points" title="The catalogue has no account" />
        ) : (
          <>
            <Figures>
              {accounts.map(account => (
                <AccountFigure key={account.id} account={account} />
              ))}
            </Figures>
            <Entries fanId={fanId} accounts={accounts} />
            {changes.length > 0 && (
              <Section title="Tiers over time">
                <ol>
                  {changes.map(change => (
                    <li key={`${change.at} ${change.type} ${change.accountId} ${change.tierId}`}>
                      {CHANGES[change.type]} <bdi>{change.tierId ?? 'a tier'}</bdi> in{' '}
                      <bdi>{change.accountId ?? 'an account'}</bdi>
                      {change.reason === 'correction' && ', since points were taken back'},{' '}
                      <Time at={change.at} />
                    </li>
                  ))}
                </ol>
              </Section>
            )}
          </>
        )
      }
    </Loaded>
  )
}

const AccountFigure = ({ account: { name, unit, total, tier, next } }: { account: Account }) => (
  <Figure
    name={name}
    value={<Points value={total} />}
    note={
      <>
        <bdi>{unit}</bdi>
        {', '}
        {tier === null ? (
          'no tier'
        ) : (
          <>
            <bdi>{tier.name}</bdi>
            {tier.until !== null && (
              <>
                {' until '}
                <Time at={tier.until} />
              </>
            )}
          </>
        )}
        {next !== null && (
          <>
            , {formatCount(next.missing)} to <bdi>{next.tier.name}</bdi>
          </>
        )}
      </>
    }
  />
)

function Entries({ fanId, accounts }: { fanId: string; accounts: Account[] }) {
  const [accountId, setAccountId] = useState(accounts[0]?.id ?? '')
  const pages = usePages(`fan ${fanId} account ${accountId}`, async (cursor, signal) => {
    const page = await api.listFanAccountEntries({ fanId, accountId, cursor, limit: 100 }, { signal })
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  return (
    <Section title="Entries">
      {accounts.length > 1 && (
        <SelectField
          label="Account"
          required
          value={accountId}
          options={accounts.map(({ id, name }) => ({ value: id, title: name }))}
          onChange={setAccountId}
        />
      )}
      <DataTable
        label="Entries of the account"
        pages={pages}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'for',
            title: 'For',
            cell: ({ explanation: { name, kind, takesBack } }) => (
              <>
                {takesBack && 'Taken back: '}
                <bdi>{name ?? kind.replaceAll('_', ' ')}</bdi>
              </>
            ),
          },
          {
            id: 'season',
            title: 'Season',
            width: '7rem',
            hide: 'narrow',
            cell: ({ seasonId }) => (seasonId === null ? <None /> : <bdi>{seasonId}</bdi>),
          },
          ...entryColumns,
        ]}
        empty={<Empty icon="points" title="Nothing was booked yet" />}
      />
    </Section>
  )
}
