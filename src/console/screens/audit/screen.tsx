/** The audit log, its verification, and the sessions of staff. */
import { useState } from 'preact/hooks'
import { addressOfRead, api, type Data } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Form, TextField } from '../../parts/form.tsx'
import { formatCount } from '../../parts/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { Facts, Page, Toolbar } from '../../parts/page.tsx'
import { useAction, usePages } from '../../parts/resource.ts'
import { TimeField } from '../../parts/special-fields.tsx'
import { Empty, Failed } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { toast } from '../../parts/toast.tsx'
import { None, Time } from '../../parts/values.tsx'
import { useChoice, useParameter } from '../../router.tsx'
import { may } from '../../session.ts'
import { StaffSessionsTable } from './sessions.tsx'
import { SubjectName, wordsOf } from './subject.tsx'

type Entry = Data<'listAudit'>['entries'][number]

const VIEWS = ['log', 'sessions'] as const
const FILTERS = ['staffId', 'subjectKind', 'subjectId', 'operation', 'from', 'to'] as const
type Filter = Record<(typeof FILTERS)[number], string>

export function Screen() {
  const [view, setView] = useChoice('view', VIEWS)
  const [written, setWritten] = useParameter('filter')
  const filter = parseFilter(written)
  const log = (
    <LogTable
      filter={filter}
      onFilter={next =>
        setWritten(new URLSearchParams(Object.entries(next).filter(([, value]) => value)).toString())
      }
    />
  )
  const maySeeStaff = may('staff.write')
  return (
    <Page
      title="Audit log"
      about="What staff did, when and why. Rows are never changed."
      actions={(view === 'log' || !maySeeStaff) && <LogActions filter={filter} />}
    >
      {maySeeStaff ? (
        <Tabs
          label="Audit"
          tabs={[
            { id: 'log', title: 'Log' },
            { id: 'sessions', title: 'Signed-in staff' },
          ]}
          current={view}
          onChange={setView}
        >
          {view === 'log' ? log : <StaffSessionsTable />}
        </Tabs>
      ) : (
        log
      )}
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

const COLUMNS: Column<Entry>[] = [
  { id: 'operation', title: 'What', cell: ({ operation }) => wordsOf(operation) },
  {
    id: 'subject',
    title: 'Of what',
    hide: 'narrow',
    cell: ({ subject }) => <SubjectName of={subject} link={false} />,
  },
  {
    id: 'staff',
    title: 'Who',
    cell: ({ staff }) => (
      <>
        <bdi>{staff.name}</bdi> <span class="quiet">{staff.role}</span>
      </>
    ),
  },
  {
    id: 'confirmed',
    title: 'Confirmed by',
    hide: 'middle',
    width: '14%',
    cell: ({ confirmedBy }) => (confirmedBy ? <bdi>{confirmedBy.name}</bdi> : <None why="Nobody" />),
  },
  { id: 'at', title: 'When', width: '6.5rem', cell: ({ at }) => <Time at={at} relative /> },
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
      </Toolbar>
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        rowKey={({ seq }) => String(seq)}
        pages={pages}
        onOpen={setShown}
        empty={
          <Empty icon="audit" title={count > 0 ? 'Nothing matches' : 'Nobody did anything yet'}>
            <p>{count > 0 ? 'Change the filter.' : 'What staff do in the console appears here.'}</p>
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
              Rows were changed or removed behind the console. Compare with an export, and find out who has
              access.
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

const EntryDialog = ({ of: entry, onClose }: { of: Entry; onClose: () => void }) => (
  <Dialog title={`${wordsOf(entry.operation)}, row ${formatCount(entry.seq)}`} kind="wide" onClose={onClose}>
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
          ['Why', <bdi key="why">{entry.reason ?? '–'}</bdi>],
          ['Details', <code key="detail">{entry.detail ? JSON.stringify(entry.detail) : '–'}</code>],
          ['Hash', <code key="hash">{entry.hash}</code>],
        ]}
      />
    </div>
  </Dialog>
)
