/** `--from-replica` of commands that only read. The replica is an empty database here, so that the output tells which one was read. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eventOf } from '../economy/events/events-world.ts'
import { noServer, postgresEngine, type TemporaryDatabase } from '../support/engines.ts'
import { onEngine } from '../support/world.ts'
import { runScript } from './run-script.ts'

const none = { DATABASE_READ_URL: '' }

describe.skipIf(noServer !== '')(`--from-replica (PostgreSQL)${noServer}`, () => {
  onEngine(postgresEngine, 'a command', world => {
    let replica: TemporaryDatabase
    const event = () => ['gate', 'scan-1']
    beforeAll(async () => {
      replica = await postgresEngine.open(world.clock)
      const gate = world.withToken(await world.serverKey(['events:write'], { source: 'gate' }))
      const { body } = await gate.post('/api/events', { events: [{ ...eventOf(world), id: 'scan-1' }] })
      expect(body.results).toHaveLength(1)
    })
    afterAll(() => replica.remove())

    const run = (name: string, parameters: string[], env: Record<string, string> = {}) =>
      runScript(name, parameters, {
        env: { DATABASE_URL: world.databaseUrl ?? '', DATABASE_READ_URL: replica.url ?? '', ...env },
      })

    test.each(['verify-ledger', 'verify-quests'])('%s verifies the replica', async name => {
      const [primary, copy] = await Promise.all([
        run(name, ['--json']),
        run(name, ['--json', '--from-replica']),
      ])
      expect([primary.code, JSON.parse(primary.out).fans]).toEqual([0, 1])
      expect([copy.code, JSON.parse(copy.out).fans]).toEqual([0, 0])
    })

    test.each(['--since-last', '--part=1/2'])('verify-ledger refuses %s of the replica', async some => {
      const { code, err } = await run('verify-ledger', [some, '--from-replica'])
      expect([code, err.split('\n')[0]]).toEqual([
        2,
        'error: --since-last and --part need the primary server',
      ])
    })

    test('events and explain-event show what the replica has', async () => {
      expect((await run('events', ['show', ...event()])).code).toBe(0)
      expect((await run('events', ['tail', '--from-replica'])).out).toBe('There are no events.\n')
      expect((await run('explain-event', event())).code).toBe(0)
      const { code, err } = await run('explain-event', [...event(), '--from-replica'])
      expect([code, err]).toEqual([1, 'Source gate has reported no event scan-1.\n'])
    })

    test('is refused where there is no replica to read, and for events replay, which writes', async () => {
      const refusal = async (parameters: string[], env: Record<string, string> = {}) => {
        const { code, err } = await run('events', parameters, env)
        return [code, err.split('\n')[0]]
      }
      const tail = ['tail', '--from-replica']
      expect(await refusal(tail, none)).toEqual([2, 'error: --from-replica requires DATABASE_READ_URL'])
      expect(await refusal([...tail, '--database', world.databaseUrl ?? ''])).toEqual([
        2,
        'error: --from-replica reads DATABASE_READ_URL: leave out --database',
      ])
      expect(await refusal(['replay', ...event(), '--from-replica'])).toEqual([
        2,
        'error: replay tries the event in a transaction that it rolls back: leave out --from-replica',
      ])
      expect(await refusal(tail, { DATABASE_URL: 'sqlite:data/none.db' })).toEqual([
        1,
        'DATABASE_READ_URL is for PostgreSQL: DATABASE_URL is not a postgres:// URL, so it has no replica',
      ])
    })

    test('fails when the replica cannot be read, without its password', async () => {
      const DATABASE_READ_URL = 'postgres://reader:hidden-password@127.0.0.1:1/matchday'
      const { code, err } = await run('verify-ledger', ['--from-replica'], { DATABASE_READ_URL })
      expect([code, err.includes('hidden-password')]).toEqual([1, false])
      expect(err).toStartWith('The database cannot be used: database unreachable')
    })
  })
})
