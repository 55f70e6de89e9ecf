/** Endpoints and deliveries as tables. */
import type { Database } from '../../db/index.ts'
import { type Endpoint, listEndpoints } from '../../src/delivery/webhooks/endpoints.ts'
import { type Backlog, listDeliveries, readBacklogs } from '../../src/delivery/webhooks/inspect.ts'
import { parseTypes } from '../../src/delivery/webhooks/types.ts'
import type { CommandResult } from '../command/command.ts'

export async function reportEndpoints(db: Database): Promise<CommandResult> {
  const backlogs = await readBacklogs(db.read)
  const endpoints = (await listEndpoints(db.read)).map(row =>
    present(row, backlogs.get(row.id), db.read.now()),
  )
  const rows = endpoints.map(({ url, types, ...endpoint }) => [
    endpoint.id,
    endpoint.state,
    backlogOf(endpoint),
    url,
    types.join(' '),
  ])
  return { json: { endpoints }, text: rows.length > 0 ? alignColumns(rows) : 'There are no endpoints.' }
}

export async function reportEndpoint(
  db: Database,
  endpoint: Endpoint,
  isSecretReadable: boolean,
): Promise<CommandResult> {
  const shown = present(endpoint, (await readBacklogs(db.read)).get(endpoint.id), db.read.now())
  const { previousSecretEndsAt } = endpoint
  const isPreviousUsed = previousSecretEndsAt !== null && previousSecretEndsAt > db.read.now()
  const rows = [
    ['url', shown.url],
    ['types', shown.types.join(' ')],
    ['state', shown.state],
    ['created', shown.createdAt.toISOString()],
    ['backlog', backlogOf(shown)],
    ['secret', isSecretReadable ? 'readable' : 'cannot be decrypted: rotate it'],
    ...(isPreviousUsed ? [['previous secret', `signs until ${previousSecretEndsAt.toISOString()}`]] : []),
  ]
  const json = {
    ...shown,
    isSecretReadable,
    previousSecretEndsAt: isPreviousUsed ? previousSecretEndsAt : null,
  }
  return { json, text: `${shown.id}\n${alignColumns(rows.map(row => ['', ...row]))}` }
}

interface Filter {
  endpointId: string | undefined
  failed: boolean
  limit: number
}

export async function reportDeliveries(db: Database, filter: Filter): Promise<CommandResult> {
  const deliveries = (await listDeliveries(db.read, filter)).map(({ body: _, ...delivery }) => delivery)
  const rows = deliveries.map(delivery => [
    delivery.createdAt.toISOString(),
    ...(filter.endpointId === undefined ? [delivery.endpointId] : []),
    `${delivery.userId} ${delivery.sequence}`,
    delivery.type,
    stateOf(delivery),
    [delivery.status, delivery.response].filter(part => part !== null && part !== '').join(' '),
  ])
  return { json: { deliveries }, text: rows.length > 0 ? alignColumns(rows) : 'There are no deliveries.' }
}

type Shown = Awaited<ReturnType<typeof listDeliveries>>[number]

function stateOf({ state, attempts, nextAttemptAt }: Pick<Shown, 'state' | 'attempts' | 'nextAttemptAt'>) {
  const next = nextAttemptAt === null ? '' : `, next ${nextAttemptAt.toISOString()}`
  return `${state} (${attempts}${next})`
}

/** With the time of the oldest event. */
const backlogOf = ({ pending, pendingSince }: { pending: number; pendingSince: Date | null }) =>
  `${pending} pending${pendingSince === null ? '' : ` since ${pendingSince.toISOString()}`}`

function present(endpoint: Endpoint, backlog: Backlog | undefined, now: Date) {
  const { id, url, types, createdAt, failingSince, pausedUntil, disabledAt, disabledReason } = endpoint
  const isPaused = pausedUntil !== null && pausedUntil > now
  const state =
    disabledAt !== null
      ? `disabled (${disabledReason}) since ${disabledAt.toISOString()}`
      : isPaused
        ? `paused by the receiver until ${pausedUntil.toISOString()}`
        : failingSince !== null
          ? `failing since ${failingSince.toISOString()}`
          : 'active'
  return {
    id,
    url,
    types: parseTypes(types),
    state,
    createdAt,
    failingSince,
    pausedUntil: isPaused ? pausedUntil : null,
    disabledAt,
    disabledReason,
    pending: backlog?.pending ?? 0,
    pendingSince: backlog?.since ?? null,
  }
}

function alignColumns(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0))) ?? []
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return rows.map(row => line(row).trimEnd()).join('\n')
}
