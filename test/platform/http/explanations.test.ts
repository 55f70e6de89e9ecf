/** Problem details say what to change: the place, the expected value, the path that was probably meant. */
import { describe, expect, test } from 'bun:test'
import { type ConfigError, parseConfig } from '../../../src/platform/config/config.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { commandOf } from '../../support/executable.ts'
import { secrets } from '../../support/processes.ts'
import { onEngine } from '../../support/world.ts'

onEngine(
  sqliteEngine,
  'Problem details in development',
  world => {
    const detailOf = async (claims: Record<string, unknown>) => {
      const token = await world.idp.issueToken('fan-0001', claims as object)
      return (await world.withToken(token).get('/api/dashboard')).body.detail
    }

    test('a token of another audience names both audiences', async () => {
      expect(await detailOf({ defect: 'wrong_audience' })).toMatch(
        /^The token's aud is not accepted\. Expected "matchday-api", received ".+"\.$/,
      )
    })

    test('a token of another issuer names both issuers', async () => {
      expect(await detailOf({ defect: 'wrong_issuer' })).toMatch(
        /^The token's iss is not accepted\. Expected "http:\/\/localhost:4000", received ".+"\.$/,
      )
    })

    test('the error for an ID token states both types', async () => {
      expect(await detailOf({ defect: 'id_token' })).toContain('Expected "at+jwt", received "JWT".')
    })
  },
  { env: { NODE_ENV: 'development' } },
)

onEngine(sqliteEngine, 'Problem details', world => {
  test('the refusal of a token without a scheme states the form of the header', async () => {
    const token = await world.idp.issueToken('fan-0001')
    const { body } = await world.anonymous.get('/api/dashboard', { authorization: token })
    expect(body.code).toBe('unauthenticated')
    expect(body.detail).toBe('The Authorization header must be "Bearer", a space, and the token.')
  })

  test.each([
    ['{"bio": }', 'line 1, column 9'],
    ['{\n  "bio": "x",\n}', 'line 3, column 1'],
    ['{"bio": "x"', 'line 1, column 12'],
  ])('broken JSON %j is located, and not repeated', async (text, place) => {
    const { body } = await (await world.fan()).send('/api/user/profile', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: text,
    })
    expect(body.detail).toBe(`The body is not JSON: ${place}.`)
  })

  test.each([
    ['none', []],
    ['too many', Array.from({ length: 51 }, () => ({ collectibleId: 'anthem', serialNumber: 1 }))],
  ])('an array of the wrong length is refused with the limits: %s', async (_, give) => {
    const fan = await world.fan()
    const { body } = await fan.post('/api/trades', { to: 'somebody', give, want: [] })
    expect(body.detail).toBe('/give must be an array of 1 to 10 items.')
  })

  test.each([
    ['/rewards', '/api/rewards'],
    ['/api/rewards/', '/api/rewards'],
    ['/teams/', '/api/teams'],
  ])('%s is 404 with a hint at %s', async (path, meant) => {
    const { status, body } = await world.anonymous.get(path)
    expect([status, body.code, body.detail]).toEqual([404, 'not_found', `Did you mean ${meant}?`])
  })

  test('a path that is similar to no other gets no suggestion', async () => {
    expect((await world.anonymous.get('/api/nothing')).body.detail).not.toContain('Did you mean')
  })

  test('the detail of a validation error is its first error', async () => {
    const { body } = await (await world.fan()).patch('/api/user/profile', { nickname: 'x', bio: 7 })
    const [first] = body.errors
    expect(body.detail).toBe(`${first.pointer} ${first.message}.`)
  })
})

describe('the configuration', () => {
  const problemsOf = (env: Record<string, string>) => {
    try {
      parseConfig({ ...secrets, ...env })
      return []
    } catch (error) {
      return (error as ConfigError).problems
    }
  }

  test.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['RATE_LIMIT_ADRESS', 'RATE_LIMIT_ADDRESS'],
    ['database_url', 'DATABASE_URL'],
    ['WORKER', 'WORKERS'],
  ])('%s is refused with a hint at %s', (name, meant) => {
    expect(problemsOf({ [name]: '1' })).toEqual([`${name} is not a setting: did you mean ${meant}?`])
  })

  test('variables of other programs are left alone', () => {
    expect(problemsOf({ HOSTNAME: 'x', PATH: '/bin', POSTGRES_USER: 'x', LOGNAME: 'x', PORTS: '1' })).toEqual(
      [],
    )
  })
})

test('an unreachable database names host, port and variable, and no password', async () => {
  const child = Bun.spawn(commandOf('src/main.ts'), {
    env: {
      ...secrets,
      PATH: process.env.PATH ?? '',
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: 'postgres://user:hidden@127.0.0.1:9/x',
    },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  expect(await child.exited).toBe(1)
  expect(said).toContain('The database of DATABASE_URL (127.0.0.1:9) cannot be used')
  expect(said).not.toContain('hidden')
})
