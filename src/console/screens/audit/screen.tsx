/** The audit log, and its verification. */
import { useState } from 'preact/hooks'
import { addressOfRead, api, type Data } from '../../api.ts'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Facts, Page, Toolbar } from '../../parts/page.tsx'
import { useAction, usePages } from '../../parts/resource.ts'
import { SavedViews } from '../../parts/saved-views.tsx'
import { TimeField } from '../../parts/special-fields.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { Money, None, Points, Time } from '../../parts/values.tsx'
import { useParameter } from '../../router.tsx'
import { SubjectName, wordsOf } from './subject.tsx'

type Entry = Data<'listAudit'>['entries'][number]

const FILTERS = ['staffId', 'subjectKind', 'subjectId', 'operation', 'from', 'to'] as const
type Filter = Record<(typeof FILTERS)[number], string>

export function Screen() {
  const [written, setWritten] = useParameter('filter')
  const filter = parseFilter(written)
  return (
    <Page
      title="Audit log"
      about="What staff did, when and why. Rows are never changed."
      actions={<LogActions filter={filter} />}
    >
      <LogTable
        filter={filter}
        onFilter={next =>
          setWritten(new URLSearchParams(Object.entries(next).filter(([, value]) => value)).toString())
        }
      />
    </Page>
  )
}

function parseFilter(written: string): Filter {
  const query = new URLSearchParams(written)
  const of = (name: string) => query.get(name) ?? ''
  const [staffId, subjectKind, subjectId] = [of('staffId'), of('subjectKind'), of('subjectId')]
  return { staffId, subjectKind, subjectId, operation: of('operation'), from: of('from'), to: of('to') }
}

/** Without what is not asked for. */
const givenIn = (filter: Filter): Partial<Filter> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''))

const OUTCOMES: Record<Entry['outcome'], [title: string, tone: Tone]> = {
  done: ['Done', 'good'],
  unchanged: ['Done before', 'neutral'],
  waiting: ['Waits', 'warn'],
  confirmed: ['Confirmed', 'good'],
  refused: ['Refused', 'bad'],
  expired: ['Expired', 'neutral'],
  failed: ['Failed', 'bad'],
}

/** What was asked for is more telling than that somebody asked. */
const titleOf = ({ operation, detail }: Entry) =>
  operation === 'requestApproval' && typeof detail?.operation === 'string'
    ? `Asked: ${wordsOf(detail.operation).toLowerCase()}`
    : wordsOf(operation)

const Outcome = ({ of: { outcome } }: { of: Entry }) => (
  <Badge tone={OUTCOMES[outcome][1]}>{OUTCOMES[outcome][0]}</Badge>
)

const Amount = ({ of: { amount } }: { of: Entry }) =>
  amount === null ? (
    <None />
  ) : amount.currency === 'POINTS' ? (
    <>
      <Points value={amount.amount} signed /> points
    </>
  ) : (
    <Money {...amount} />
  )

const COLUMNS: Column<Entry>[] = [
  { id: 'operation', title: 'What', cell: titleOf },
  {
    id: 'subject',
    title: 'Of what',
    width: '15%',
    hide: 'narrow',
    under: true,
    cell: ({ subject, fan }) =>
      fan !== null && fan.name !== null ? <bdi>{fan.name}</bdi> : <SubjectName of={subject} link={false} />,
  },
  {
    id: 'amount',
    title: 'Amount',
    width: '7.5rem',
    align: 'end',
    hide: 'narrow',
    under: true,
    cell: entry => <Amount of={entry} />,
  },
  {
    id: 'reason',
    title: 'Why',
    width: '18%',
    hide: 'middle',
    cell: ({ reason }) => (reason === null ? <None /> : <bdi title={reason}>{reason}</bdi>),
  },
  { id: 'outcome', title: 'Outcome', width: '7rem', cell: entry => <Outcome of={entry} /> },
  {
    id: 'staff',
    title: 'Who',
    width: '12%',
    hide: 'narrow',
    cell: ({ staff, confirmedBy }) => (
      <>
        <bdi>{staff.name}</bdi>
        {confirmedBy !== null && (
          <>
            {' '}
            with <bdi>{confirmedBy.name}</bdi>
          </>
        )}
      </>
    ),
  },
  {
    id: 'at',
    title: 'When',
    width: '8rem',
    hide: 'narrow',
    under: true,
    cell: ({ at }) => <Time at={at} relative />,
  },
]

const LogActions = ({ filter }: { filter: Filter }) => (
  <>
    <Verify />
    {(['ndjson', 'csv'] as const).map(format => (
      <a
        key={format}
        class="button plain"
        href={addressOfRead('exportAudit', { ...givenIn(filter), format })}
        download
      >
        <Icon name="download" />
        <span>{format === 'csv' ? 'CSV' : 'NDJSON'}</span>
      </a>
    ))}
  </>
)

function LogTable({ filter, onFilter }: { filter: Filter; onFilter: (filter: Filter) => void }) {
  const [isFiltering, setFiltering] = useState(false)
  const [shown, setShown] = useState<Entry | null>(null)
  const count = FILTERS.filter(name => filter[name] !== '').length
  const pages = usePages<Entry>(`audit ${JSON.stringify(filter)}`, async (cursor, signal) => {
    const page = await api.listAudit({ ...givenIn(filter), cursor }, { signal })
    return { items: page.entries, nextCursor: page.nextCursor }
  })
  return (
    <>
      <Toolbar>
        <Button icon="search" onClick={() => setFiltering(true)}>
          {count === 0 ? 'Filter' : `Filter (${count})`}
        </Button>
        {count > 0 && (
          <Button kind="quiet" icon="close" onClick={() => onFilter(parseFilter(''))}>
            Clear
          </Button>
        )}
        <SavedViews area="audit" />
      </Toolbar>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        rowKey={({ seq }) => String(seq)}
        pages={pages}
        onOpen={setShown}
        empty={
          <Empty icon="audit" title={count > 0 ? 'No entries match' : 'No actions yet'}>
            <p>{count > 0 ? 'Change the filter.' : 'Actions of staff in the console appear here.'}</p>
          </Empty>
        }
      />
      {shown && <EntryDialog of={shown} onClose={() => setShown(null)} />}
      {isFiltering && (
        <FilterDialog
          of={filter}
          onClose={() => setFiltering(false)}
          onApply={next => {
            onFilter(next)
            setFiltering(false)
          }}
        />
      )}
    </>
  )
}

interface FilterDialogProps {
  of: Filter
  onApply: (filter: Filter) => void
  onClose: () => void
}

function FilterDialog({ of, onApply, onClose }: FilterDialogProps) {
  const [filter, setFilter] = useState(of)
  const field = (name: keyof Filter) => ({
    value: filter[name],
    onChange: (value: string | null) => setFilter({ ...filter, [name]: value ?? '' }),
  })
  const time = (name: 'from' | 'to') => ({ ...field(name), value: filter[name] || null })
  return (
    <Dialog title="Filter the log" kind="drawer" onClose={onClose}>
      <Form
        action={{ isBusy: false, error: null }}
        onSubmit={() => onApply(filter)}
        foot={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button submit kind="primary">
              Show
            </Button>
          </>
        }
      >
        <TextField label="Person" hint="Their id, such as link:adalovelace" autofocus {...field('staffId')} />
        <TextField label="Kind of subject" hint="Such as fan, reward or purchase" {...field('subjectKind')} />
        <TextField label="Subject" hint="Its id" {...field('subjectId')} />
        <TextField label="Operation" hint="Its id, such as grantPoints" {...field('operation')} />
        <TimeField label="From" {...time('from')} />
        <TimeField label="Until" {...time('to')} />
      </Form>
    </Dialog>
  )
}

function Verify() {
  const [state, setState] = useState<Data<'verifyAudit'> | null>(null)
  const verify = useAction(async () => {
    const found = await api.verifyAudit()
    if (found.intact) toast(`${formatCount(found.rows)} rows are intact.`)
    else setState(found)
  })
  return (
    <>
      <Button icon="check" busy={verify.isBusy} onClick={() => verify.run()}>
        Verify
      </Button>
      {verify.error !== null && (
        <Dialog title="The log was not verified" onClose={verify.clear}>
          <Failed error={verify.error} onRetry={() => verify.run()} busy={verify.isBusy} />
        </Dialog>
      )}
      {state && (
        <Dialog title="The log was changed" onClose={() => setState(null)}>
          <div class="dialog-text">
            <p>
              Somebody changed or removed rows outside the console. Compare the log with an export, and find
              out who has access to the database.
            </p>
            <ul>
              {state.findings.map(({ seq, fault }) => (
                <li key={seq}>
                  Row {formatCount(seq)} is {fault}
                </li>
              ))}
            </ul>
          </div>
        </Dialog>
      )}
    </>
  )
}

type Fact = Parameters<typeof Facts>[0]['of'][number]

const wordsOfCode = (code: string) => code.replaceAll('_', ' ')

function wordsOfValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null || value === undefined) return '–'
  if (Array.isArray(value)) return value.map(wordsOfValue).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

const EntryDialog = ({ of: entry, onClose }: { of: Entry; onClose: () => void }) => (
  <Dialog title={`${titleOf(entry)}, row ${formatCount(entry.seq)}`} kind="wide" onClose={onClose}>
    <div class="dialog-text">
      <Facts
        of={[
          ['When', <Time key="at" at={entry.at} />],
          ['Who', <bdi key="who">{`${entry.staff.name}, ${entry.staff.role} (${entry.staff.id})`}</bdi>],
          [
            'Confirmed by',
            entry.confirmedBy ? <bdi key="by">{entry.confirmedBy.name}</bdi> : <None key="by" why="Nobody" />,
          ],
          ['Of what', <SubjectName key="what" of={entry.subject} />],
          ...(entry.fan !== null && entry.subject.kind !== 'fan'
            ? [['Fan', <SubjectName key="fan" of={{ kind: 'fan', ...entry.fan }} />] satisfies Fact]
            : []),
          ['Amount', <Amount key="amount" of={entry} />],
          ['Why', <bdi key="why">{entry.reason ?? '–'}</bdi>],
          [
            'Outcome',
            <span key="outcome">
              <Outcome of={entry} /> {entry.problem !== null && wordsOfCode(entry.problem)}
            </span>,
          ],
          ...Object.entries(entry.detail ?? {}).map(
            ([name, value]): Fact => [wordsOf(name), <bdi key={name}>{wordsOfValue(value)}</bdi>],
          ),
          ['Hash', <code key="hash">{entry.hash}</code>],
        ]}
      />
    </div>
  </Dialog>
)
