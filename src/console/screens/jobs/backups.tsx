/** Backups: starts one, and lists the files. */
import { useState } from 'preact/hooks'
import { api } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { ReasonDialog } from '../../parts/dialog.tsx'
import { formatBytes } from '../../parts/format.ts'
import { Facts, Section } from '../../parts/page.tsx'
import { Empty, Note } from '../../parts/states.tsx'
import { DataTable } from '../../parts/table.tsx'
import { toast } from '../../parts/toast.tsx'
import { Time } from '../../parts/values.tsx'
import { may } from '../../session.ts'
import type { JobsData } from './words.ts'

interface BackupsProps {
  of: JobsData
  onStarted: () => unknown
}

export function Backups({ of: { backups, runs }, onStarted }: BackupsProps) {
  const [isStarting, setIsStarting] = useState(false)
  const isRunning = runs.some(({ kind, state }) => state === 'running' && kind === 'backup')
  const blocked =
    (!may('jobs.write') && 'Your role cannot back up.') ||
    (isRunning && 'A backup is running.') ||
    (backups !== null &&
      backups.freeBytes < backups.databaseBytes &&
      'The disk has too little space: delete old backups on the server.')
  if (backups === null)
    return (
      <Section title="Backups">
        <Note>
          <p>
            The database is PostgreSQL. Operators back it up with the tools of PostgreSQL, outside of the
            console; the guide describes how, under “Backups”. “Last backup” above is the last one that was
            recorded after it had been checked.
          </p>
        </Note>
      </Section>
    )
  return (
    <Section
      title="Backups"
      about="Verified copies of the database, made while the server keeps running. Keep copies on another machine as well."
      actions={
        <Button icon="download" blocked={blocked} onClick={() => setIsStarting(true)}>
          Back up now
        </Button>
      }
    >
      <Facts
        of={[
          ['Folder on the server', <code key="folder">{backups.folder}</code>],
          ['Size of the database', formatBytes(backups.databaseBytes)],
          ['Free on its disk', formatBytes(backups.freeBytes)],
        ]}
      />
      <DataTable
        label="Backups"
        rows={backups.files}
        rowKey={({ name }) => name}
        empty={<Empty icon="download" title="No backups yet" />}
        columns={[
          { id: 'name', title: 'File', cell: ({ name }) => <bdi>{name}</bdi> },
          { id: 'size', title: 'Size', width: '6rem', align: 'end', cell: ({ bytes }) => formatBytes(bytes) },
          { id: 'age', title: 'Written', width: '8rem', cell: ({ at }) => <Time at={at} relative /> },
        ]}
      />
      {isStarting && (
        <ReasonDialog
          title="Back up now"
          action="Back up"
          onConfirm={async reason => {
            await api.startBackup({ reason })
            toast('The backup is running.')
            await onStarted()
          }}
          onClose={() => setIsStarting(false)}
        >
          <p>
            Writes a consistent copy of about {formatBytes(backups.databaseBytes)} of the database, and
            verifies it. Fans do not notice it.
          </p>
        </ReasonDialog>
      )}
    </Section>
  )
}
