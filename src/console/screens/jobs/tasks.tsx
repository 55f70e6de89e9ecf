/** The tasks that a process repeats: last run, duration, result, next run. */
import { Badge } from '../../parts/badge.tsx'
import { sentence } from '../../parts/capital.ts'
import { DataTable } from '../../parts/table.tsx'
import { None, Time } from '../../parts/values.tsx'
import type { JobsData } from './words.ts'

type Task = JobsData['tasks'][number]

function Result({ of: { isRunning, succeeded, failures } }: { of: Task }) {
  if (isRunning && succeeded === null) return <Badge tone="info">Running</Badge>
  if (succeeded === null) return <None why="It has not run" />
  if (!succeeded) return <Badge tone="bad">Failed</Badge>
  return (
    <Badge tone={failures > 0 ? 'warn' : 'good'}>{failures > 0 ? `${failures} failed before` : 'OK'}</Badge>
  )
}

const everyOf = (ms: number) => {
  const [minutes, seconds] = [ms / 60_000, ms / 1_000]
  return minutes >= 60 ? `${minutes / 60} h` : minutes >= 1 ? `${minutes} min` : `${seconds} s`
}

export const Tasks = ({ of: tasks }: { of: Task[] }) => (
  <DataTable
    label="Repeated tasks"
    rows={tasks}
    rowKey={({ task }) => task}
    columns={[
      { id: 'task', title: 'Task', cell: ({ task }) => sentence(task) },
      {
        id: 'every',
        title: 'Every',
        width: '5.5rem',
        hide: 'middle',
        cell: ({ everyMs }) => everyOf(everyMs),
      },
      {
        id: 'last',
        title: 'Last run',
        width: '8rem',
        hide: 'narrow',
        cell: ({ lastAt }) => (lastAt === null ? <None why="Never" /> : <Time at={lastAt} relative />),
      },
      {
        id: 'took',
        title: 'Took',
        width: '6rem',
        align: 'end',
        hide: 'narrow',
        cell: ({ tookMs }) => (tookMs === null ? <None /> : `${tookMs} ms`),
      },
      { id: 'result', title: 'Result', width: '9rem', cell: task => <Result of={task} /> },
      {
        id: 'next',
        title: 'Next',
        width: '8rem',
        hide: 'narrow',
        cell: ({ nextAt }) => (nextAt === null ? <None /> : <Time at={nextAt} relative />),
      },
    ]}
  />
)
