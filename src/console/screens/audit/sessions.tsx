/** The sessions of staff, with buttons to end them. */
import { useState } from 'preact/hooks'
import { api, type Data } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { useResource } from '../../parts/resource.ts'
import { Loaded } from '../../parts/states.tsx'
import { type Column, DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time } from '../../parts/values.tsx'

type Session = Data<'listStaffSessions'>['sessions'][number]

export function StaffSessionsTable() {
  const [ending, setEnding] = useState<Session | null>(null)
  const sessions = useResource('staff sessions', signal => api.listStaffSessions({}, { signal }))
  const columns: Column<Session>[] = [
    {
      id: 'staff',
      title: 'Person',
      cell: ({ staff }) => (
        <>
          <bdi>{staff.name}</bdi> <span class="quiet">{staff.role}</span>
        </>
      ),
    },
    { id: 'created', title: 'Signed in', hide: 'narrow', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'used', title: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} relative /> },
    { id: 'expires', title: 'Ends', hide: 'middle', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'end',
      title: 'Actions',
      width: '9rem',
      align: 'end',
      cell: session => (
        <Button small label={`End all sessions of ${session.staff.name}`} onClick={() => setEnding(session)}>
          End all
        </Button>
      ),
    },
  ]
  return (
    <>
      <Loaded of={sessions}>
        {data => (
          <DataTable label="Signed-in staff" columns={columns} rowKey={({ id }) => id} rows={data.sessions} />
        )}
      </Loaded>
      {ending && (
        <ReasonDialog
          title={`End the sessions of ${ending.staff.name}?`}
          action="End the sessions"
          tone="danger"
          onConfirm={async reason => {
            await api.endSessionsOfStaff({ staffId: ending.staff.id, reason })
            toast(`The sessions of ${ending.staff.name} have ended.`)
            await sessions.reload()
          }}
          onClose={() => setEnding(null)}
        >
          <p>They are signed out at once on every device. Links that they have not used yet end as well.</p>
        </ReasonDialog>
      )}
    </>
  )
}
