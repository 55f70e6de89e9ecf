/** The log never contains the values of a failed operation. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { DrizzleQueryError } from 'drizzle-orm'
import { DatabaseError } from '../../db/index.ts'
import { loggable } from '../../src/core/loggable.ts'

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

const said = (error: unknown) => JSON.stringify(loggable(error))

test.each([
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
])('%s leaves no value in the log', (_, error) => {
  expect(error).toBeDefined()
  for (const word of ['Calebe', 'Santos', 'calebe@', 'example.net']) expect(said(error)).not.toContain(word)
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
  expect(line.at?.[0]).toContain('loggable.test.ts')
})

test('circular causes and long messages are limited', () => {
  const endless = new Error('x'.repeat(10_000))
  endless.cause = endless
  expect(loggable(endless).message).toHaveLength(500)
})

test('every log line of src logs errors through loggable()', async () => {
  const root = join(import.meta.dir, '../..')
  const offenders: string[] = []
  for (const file of new Glob('src/**/*.ts').scanSync(root)) {
    const text = await Bun.file(join(root, file)).text()
    for (const [call] of text.matchAll(/\blog\??\.(?:trace|debug|info|warn|error|fatal)\([^;]*?\)\n/g)) {
      const rest = call.replace(/loggable\(error\)(\.message)?/g, '')
      if (/\.message|\.stack|\berr(or)?\b(?=\s*[,}])|\(error/.test(rest)) offenders.push(`${file}: ${call}`)
    }
  }
  expect(offenders).toEqual([])
})
