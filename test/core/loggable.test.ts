/** The log never contains the values of a failed operation. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { DrizzleQueryError } from 'drizzle-orm'
import { type Logger, pino } from 'pino'
import { DatabaseError } from '../../db/index.ts'
import { createLogOptions } from '../../src/core/log.ts'
import { logFailed, loggable } from '../../src/core/loggable.ts'
import { root } from '../support/executable.ts'
import { waitUntil } from '../support/wait-until.ts'

const PERSON = ['Calebe Santos', 'calebe@example.net']
const query = (cause?: Error) => new DrizzleQueryError('update "identities" set "name" = $1', PERSON, cause)
const driverError = (message: string, members: object = {}) => Object.assign(new Error(message), members)

function thrownBy(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

const ERRORS: [string, unknown][] = [
  ['a failed query', query()],
  ['a failed query under the database’s own error', new DatabaseError('busy', query())],
  [
    'a failed query whose driver quotes the value',
    query(driverError(`invalid value: "${PERSON.join('"')}"`)),
  ],
  [
    'a driver’s detail',
    driverError('duplicate key', { detail: `Key (email)=(${PERSON[1]}) already exists.` }),
  ],
  ['a parser', thrownBy(() => JSON.parse(`{"name": ${PERSON[0]}}`))],
  ['a URL', thrownBy(() => new URL(PERSON[1] ?? ''))],
  [
    'a message with lines that look like frames',
    query(driverError(`"\n    at ${PERSON.join('\n    at ')}\n"`)),
  ],
  ['a text that is thrown', PERSON[0]],
  ['an object that is thrown', { message: PERSON[1] }],
]

/** The lines that the log writes. */
function written(use: (log: Logger) => void): string {
  const lines: string[] = []
  use(pino({ ...createLogOptions(), base: null }, { write: line => void lines.push(line) }))
  return lines.join('')
}

function expectNoValues(text: string) {
  for (const word of ['Calebe', 'Santos', 'calebe@', 'example.net']) expect(text).not.toContain(word)
}

test.each(ERRORS)('%s leaves no value in the log', (_, error) => {
  expect(error).toBeDefined()
  const text = written(log => log.error({ task: 'sync', error }, 'it failed'))
  expectNoValues(text)
  expect(JSON.parse(text)).toMatchObject({
    task: 'sync',
    msg: 'it failed',
    error: { type: expect.stringMatching(/^(\w*Error|string|object)$/) },
  })
})

test.each<[string, (log: Logger, error: unknown) => void]>([
  ['under another name', (log, reason) => log.warn({ reason }, 'it failed')],
  ['as the first argument', (log, error) => log.error(error)],
  ['as the first argument with a message', (log, error) => log.error(error, 'it failed')],
  ['by a child of the log', (log, error) => log.child({ task: 'sync' }).error({ error }, 'it failed')],
  ['by a background task', (log, error) => logFailed(log, 'sync')(error)],
])('an error that is logged %s leaves no value in the log', (_, use) => {
  for (const [, error] of ERRORS.filter(([, thrown]) => thrown instanceof Error)) {
    const text = written(log => use(log, error))
    expectNoValues(text)
    expect(JSON.parse(text)).toHaveProperty(text.includes('"reason"') ? 'reason.stack' : 'error.stack')
  }
})

test('the root cause, its codes and the stack are logged', () => {
  const cause = driverError('duplicate key value violates unique constraint "users_handle"', {
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: '23505',
    constraint: 'users_handle',
  })
  const line = loggable(new DatabaseError('unreachable', query(cause)))
  expect(line).toMatchObject({
    type: 'Error',
    message: 'duplicate key value violates unique constraint "…"',
    code: 'ERR_POSTGRES_SERVER_ERROR',
    errno: '23505',
    constraint: 'users_handle',
  })
  expect(line.stack?.[0]).toContain('loggable.test.ts')
})

test('circular causes and long messages are limited', () => {
  const endless = new Error('x'.repeat(10_000))
  endless.cause = endless
  expect(loggable(endless).message).toHaveLength(500)
})

test('of errors with the same cause one in a second has its stack, and the next one the number of the others', async () => {
  const lines: { error: Record<string, unknown> }[] = []
  const log = pino(
    { ...createLogOptions(), base: null },
    { write: line => void lines.push(JSON.parse(line)) },
  )
  const gone = new DatabaseError('unreachable', query(driverError('connection refused')))
  for (let n = 0; n < 3; n++) log.error({ error: gone }, 'failed')
  log.error({ error: new DatabaseError('unreachable') }, 'the same fault')
  log.error({ error: driverError('another') }, 'failed')
  expect(lines.map(({ error }) => 'stack' in error)).toEqual([true, false, false, false, true])
  expect(lines.every(({ error }) => error.message)).toBe(true)
  await waitUntil('a second has passed', () => {
    log.error({ error: gone }, 'failed')
    return lines.at(-1)?.error.stack !== undefined
  })
  expect(lines.at(-1)?.error.stacksOmitted).toBe(lines.length - 3)
})

test('no file passes the log an error that is made loggable already: nothing of it would be left', async () => {
  const files = [...new Glob('src/**/*.ts').scanSync(root)].filter(path => !path.includes('node_modules'))
  const wrong = []
  for (const path of files)
    if (/\berror: loggable\(/.test(await Bun.file(join(root, path)).text())) wrong.push(path)
  expect(files.length).toBeGreaterThan(300)
  expect(wrong).toEqual([])
})
