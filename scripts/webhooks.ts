/** `bun run webhooks add | list | …`: the endpoints that receive events, and their deliveries. */
import { Argument } from '@commander-js/extra-typings'
import type { Database } from '../db/index.ts'
import { commandLine } from '../src/core/command-line.ts'
import { createGuardedFetch } from '../src/core/ssrf-guard.ts'
import {
  addEndpoint,
  disableEndpoint,
  type Endpoint,
  enableEndpoint,
  findEndpoint,
  removeEndpoint,
  rotateSecret,
  signingSecrets,
  urlFault,
} from '../src/delivery/webhooks/endpoints.ts'
import { countReplayed, replayDeliveries } from '../src/delivery/webhooks/replay.ts'
import { createWebhookSecrets, type WebhookSecrets } from '../src/delivery/webhooks/secrets.ts'
import { isSuccess } from '../src/delivery/webhooks/send.ts'
import { testEndpoint } from '../src/delivery/webhooks/test-endpoint.ts'
import { typeFault } from '../src/delivery/webhooks/types.ts'
import { messageTypes } from '../src/economy/events/types.ts'
import type { Config } from '../src/platform/config/config.ts'
import { type CommandResult, declareCommand, instant, runCommand, wholeNumber } from './command/command.ts'
import { fail, failUsage } from './command/explain.ts'
import { listen } from './webhooks/listen.ts'
import { reportDeliveries, reportEndpoint, reportEndpoints } from './webhooks/report.ts'

const ACTIONS = [
  'add',
  'list',
  'show',
  'test',
  'rotate',
  'disable',
  'enable',
  'remove',
  'replay',
  'deliveries',
  'listen',
] as const
type Action = (typeof ACTIONS)[number]

const command = declareCommand({
  name: 'webhooks',
  summary: 'Manages the endpoints that receive events, and shows what was sent to them.',
  examples: [
    ['add https://crm.example.com/hooks --type reward.claimed quest.*', 'prints the secret, once'],
    ['list', 'endpoints with their state and backlog'],
    ['show ENDPOINT', 'one endpoint'],
    ['test ENDPOINT', 'sends a test message, and prints the response'],
    ['test ENDPOINT --type reward.claimed', 'sends the example of this type'],
    ['rotate ENDPOINT', 'prints a new secret; the previous one also signs for 24 hours'],
    ['disable ENDPOINT', 'sends nothing; events are kept for 30 days'],
    ['enable ENDPOINT', 'sends what is pending, in order'],
    ['remove ENDPOINT --yes', 'deletes it with all of its deliveries'],
    ['replay ENDPOINT --since 2026-11-20', 'sends all events since then again, in order'],
    ['deliveries --endpoint ENDPOINT --failed', 'deliveries that failed, and the last responses'],
    ['listen --forward-to http://localhost:8080/hooks', 'in development: forwards events until Ctrl-C'],
  ],
  notes: `Types: ${messageTypes.join(', ')}.
Other systems report further types, such as shop.purchase. A pattern such as quest.* or * matches types of both.`,
  changes: true,
})
  .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
  .argument('[target]', 'the id of the endpoint; for add its URL')
  .option('--type <types...>', 'add, listen: types and patterns of the events; test: one type')
  .option('--since <instant>', 'replay: time of the first event', instant)
  .option('--endpoint <id>', 'deliveries: of this endpoint only')
  .option('--failed', 'deliveries: only those that had a failed attempt and are not delivered')
  .option('--limit <n>', 'deliveries: how many, newest first (default: 50)', wholeNumber(1_000))
  .option('--forward-to <url>', 'listen: where to send the events')
  .option('--yes', 'remove: delete it')

/** The actions that take an option. */
const TAKES: Record<string, Action[]> = {
  type: ['add', 'listen', 'test'],
  since: ['replay'],
  endpoint: ['deliveries'],
  failed: ['deliveries'],
  limit: ['deliveries'],
  forwardTo: ['listen'],
  yes: ['remove'],
}
const READS: Action[] = ['list', 'show', 'test', 'deliveries', 'listen']

await runCommand(command, async session => {
  const { parameters, options, configuration, openDatabase, note } = session
  const [action, target] = parameters
  for (const [name, actions] of Object.entries(TAKES)) {
    if (name in options && !actions.includes(action)) {
      failUsage(`${action} takes no --${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)
    }
  }
  const dryRun = options.dryRun ?? false
  if (dryRun && READS.includes(action)) failUsage(`${action} changes nothing: it takes no --dry-run`)
  const takesTarget = !['list', 'deliveries', 'listen'].includes(action)
  if (takesTarget && target === undefined) {
    failUsage(`${action} requires ${action === 'add' ? 'a URL' : 'the id of an endpoint'}`)
  }
  if (!takesTarget && target !== undefined) failUsage(`${action} takes no argument`)

  if (action === 'list') return reportEndpoints(await openDatabase())
  if (action === 'deliveries') {
    const { endpoint, failed, limit = 50 } = options
    const db = await openDatabase()
    if (endpoint !== undefined) await requireEndpoint(db, endpoint)
    return reportDeliveries(db, { endpointId: endpoint, failed: failed ?? false, limit })
  }

  const config = await configuration()
  const secrets = createWebhookSecrets(config.nativeTokens)
  if (action === 'add' || action === 'listen') {
    const types = requireTypes(options.type ?? (action === 'listen' ? ['*'] : []))
    const url = (action === 'add' ? target : options.forwardTo) ?? failUsage('listen requires --forward-to')
    const fault = urlFault(url, config.production)
    if (fault !== null) failUsage(`the URL ${fault}`)
    if (action === 'add') return add(await openDatabase(), secrets, { url, types }, dryRun, note)
    if (config.production) fail('listen is for development.')
    return listen(session, await openDatabase(), secrets, { url, types })
  }

  const db = await openDatabase()
  const endpoint = await requireEndpoint(db, target ?? '')
  const { id } = endpoint
  switch (action) {
    case 'show':
      return reportEndpoint(db, endpoint, signingSecrets(endpoint, secrets, db.read.now()).length > 0)
    case 'test':
      return test(db, endpoint, secrets, config, options.type)
    case 'rotate':
      return rotate(db, endpoint, secrets, dryRun, note)
    case 'disable':
      return changed(
        endpoint.disabledAt === null &&
          (dryRun || (await db.write(tx => disableEndpoint(tx, id, 'operator')))),
        { id, done: !dryRun },
        { yes: `${id} is disabled. Events are kept for 30 days.`, no: `${id} was disabled.` },
        dryRun,
      )
    case 'enable':
      return changed(
        endpoint.disabledAt !== null && (dryRun || (await db.write(tx => enableEndpoint(tx, id)))),
        { id, done: !dryRun },
        { yes: `${id} is enabled.`, no: `${id} was enabled.` },
        dryRun,
      )
    case 'remove':
      if (!options.yes && !dryRun) {
        const then = `Nothing was changed. To delete it with its deliveries: ${commandLine('webhooks')} remove ${id} --yes`
        return { json: { id, done: false }, text: then }
      }
      return changed(
        dryRun || (await removeEndpoint(db, id)),
        { id, done: !dryRun },
        { yes: `${id} is removed.`, no: `${id} was removed.` },
        dryRun,
      )
    case 'replay': {
      const since = options.since ?? failUsage('replay requires --since')
      const replayed = dryRun
        ? await countReplayed(db.read, id, since)
        : await replayDeliveries(db, id, since)
      const text = dryRun
        ? `Nothing was changed. ${replayed} deliveries would be pending again.`
        : `${replayed} deliveries are pending again.`
      return { json: { id, replayed }, text, changed: replayed, textHasSummary: true }
    }
  }
})

/** The endpoint of this id. */
async function requireEndpoint(db: Database, id: string): Promise<Endpoint> {
  return (await findEndpoint(db.read, id)) ?? fail(`There is no endpoint ${id}.`)
}

function requireTypes(types: string[]): string[] {
  if (types.length === 0) failUsage('add requires --type')
  for (const type of types) {
    const fault = typeFault(type, messageTypes)
    if (fault !== null) failUsage(fault)
  }
  return [...new Set(types)]
}

function changed(
  done: boolean,
  json: object,
  { yes, no }: { yes: string; no: string },
  dryRun: boolean,
): CommandResult {
  const text = dryRun ? 'Nothing was changed.' : done ? yes : `${no} Nothing was changed.`
  return { json, text, changed: done ? 1 : 0, textHasSummary: true }
}

async function add(
  db: Database,
  secrets: WebhookSecrets,
  input: { url: string; types: string[] },
  dryRun: boolean,
  note: (line: string) => void,
): Promise<CommandResult> {
  if (dryRun) return changed(true, { done: false }, { yes: '', no: '' }, true)
  const { id, secret } = await db.write(tx => addEndpoint(tx, secrets, input))
  note(`Endpoint ${id}. Its secret is not shown again:`)
  return { json: { id, secret, ...input }, text: secret, changed: 1, textHasSummary: true }
}

async function rotate(
  db: Database,
  { id }: Endpoint,
  secrets: WebhookSecrets,
  dryRun: boolean,
  note: (line: string) => void,
): Promise<CommandResult> {
  if (dryRun) return changed(true, { id, done: false }, { yes: '', no: '' }, true)
  const secret = await db.write(tx => rotateSecret(tx, secrets, id))
  if (secret === undefined) return fail(`There is no endpoint ${id}.`)
  note(`The previous secret of ${id} also signs for 24 hours. The new one is not shown again:`)
  return { json: { id, secret }, text: secret, changed: 1, textHasSummary: true }
}

async function test(
  db: Database,
  endpoint: Endpoint,
  secrets: WebhookSecrets,
  { production }: Config,
  types: string[] | undefined,
): Promise<CommandResult> {
  if (types !== undefined && types.length !== 1) failUsage('test takes one --type')
  const [type] = types === undefined ? [] : requireTypes(types)
  if (type?.endsWith('*')) failUsage('test takes a type, not a pattern')
  const sources = { now: db.read.now, newId: db.read.newId }
  const webhookFetch = createGuardedFetch({ publicOnly: production })
  const result = await testEndpoint({ ...sources, webhookSecrets: secrets, webhookFetch }, endpoint, type)
  if ('fault' in result) return fail(`The secret of ${endpoint.id} cannot be decrypted: rotate it.`)
  const { status, response } = result
  return {
    json: { id: endpoint.id, status, response },
    text: [status === null ? [] : String(status), response === '' ? [] : response].flat().join(' '),
    found: !isSuccess(result),
  }
}
