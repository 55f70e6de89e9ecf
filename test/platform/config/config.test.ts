/** The configuration: read once, validated as a whole, and never disclosed in messages. */
import { afterAll, describe, expect, test } from 'bun:test'
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { exportJWK, generateKeyPair } from 'jose'
import { ConfigError, type Environment, parseConfig } from '../../../src/platform/config/config.ts'
import {
  makeDevelopmentSecrets,
  withDevelopmentSecrets,
} from '../../../src/platform/config/development-secrets.ts'

const secrets = await makeDevelopmentSecrets()

const pemOf = (pair: { privateKey: KeyObject }) =>
  pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const pushCredentials = {
  vapid: { key: randomBytes(32).toString('base64url'), subject: 'mailto:push@club.example' },
  fcm: {
    ...{ project_id: 'club', client_email: 'push@club.example', token_uri: 'https://oauth2.example/token' },
    private_key: pemOf(generateKeyPairSync('rsa', { modulusLength: 2048 })),
  },
  apns: {
    key: pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' })),
    ...{ keyId: 'ABC123DEFG', teamId: 'DEF123GHIJ', topic: 'example.club.app' },
  },
}
const { privateKey } = await generateKeyPair('ES256', { extractable: true })
const ownKey = { ...(await exportJWK(privateKey)), kid: 'key-1' }

const production: Environment = {
  NODE_ENV: 'production',
  DATABASE_URL: 'postgres://matchday@db.example/matchday',
  IDP_ISSUER: 'https://login.example.com',
  IDP_AUDIENCE: 'https://api.example.com',
  IDP_NAME: 'example',
  IDP_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  NATIVE_TOKEN_KEY: JSON.stringify(ownKey),
}

function problemsOf(env: Environment): string[] {
  try {
    parseConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
/** The invalid variables after these are added to a valid environment. */
const faultsOf = (env: Environment, base: Environment = production) =>
  problemsOf({ ...base, ...env }).map(problem => problem.split(' ')[0])

describe('parseConfig', () => {
  test('has defaults in development for everything except secrets', () => {
    expect(parseConfig({ ...secrets })).toMatchObject({
      production: false,
      host: '127.0.0.1',
      port: 3000,
      databaseUrl: 'sqlite:data/matchday.db',
      identity: {
        issuer: 'http://localhost:4000',
        audiences: ['matchday-api'],
        name: 'mock-idp',
        tokenTyp: 'at+jwt',
      },
      settings: {},
      docs: { enabled: true, clientId: 'matchday-swagger', publicUrl: null },
      logLevel: 'info',
    })
    expect(faultsOf({}, {})).toEqual(['IDP_WEBHOOK_SECRET', 'NATIVE_TOKEN_KEY'])
  })

  test('reads one audience or several', () => {
    const audiencesOf = (IDP_AUDIENCE: string) => parseConfig({ ...secrets, IDP_AUDIENCE }).identity.audiences
    expect(audiencesOf('https://api.example.com')).toEqual(['https://api.example.com'])
    expect(audiencesOf('ios-app, web-app,,android-app ')).toEqual(['ios-app', 'web-app', 'android-app'])
    expect(faultsOf({ IDP_AUDIENCE: ' , ' })).toEqual(['IDP_AUDIENCE'])
  })

  test('requires settings in production, and lists all missing ones', () => {
    expect(faultsOf({}, { NODE_ENV: 'production' }).toSorted()).toEqual([
      'DATABASE_URL',
      'IDP_AUDIENCE',
      'IDP_ISSUER',
      'IDP_NAME',
      'IDP_WEBHOOK_SECRET',
      'NATIVE_TOKEN_KEY',
    ])
  })

  test('accepts a full configuration of production, with the docs off by default', () => {
    const config = parseConfig(production)
    expect(config).toMatchObject({
      production: true,
      databaseUrl: production.DATABASE_URL,
      docs: { enabled: false },
    })
    expect(config.nativeTokens.key).toEqual(ownKey)
    expect(parseConfig({ ...production, DOCS: 'on' }).docs.enabled).toBe(true)
  })

  test('has a default for each PostgreSQL setting, and reads each of them', () => {
    expect(parseConfig(production).postgres).toEqual({
      poolSize: 10,
      statementTimeoutMs: 5_000,
      connectTimeoutMs: 5_000,
      preparedStatements: true,
      schema: null,
      ca: null,
    })
    const tuned = {
      DATABASE_POOL_SIZE: '40',
      DATABASE_STATEMENT_TIMEOUT_MS: '2000',
      DATABASE_PREPARED_STATEMENTS: 'off',
      DATABASE_SCHEMA: 'harbour_1',
      DATABASE_CA: rootCertificates.slice(0, 2).join('\n'),
    }
    expect(parseConfig({ ...production, ...tuned }).postgres).toEqual({
      poolSize: 40,
      statementTimeoutMs: 2_000,
      connectTimeoutMs: 5_000,
      preparedStatements: false,
      schema: 'harbour_1',
      ca: tuned.DATABASE_CA,
    })
  })

  test('has a replica of PostgreSQL only', () => {
    expect(parseConfig(production).databaseReadUrl).toBeNull()
    const DATABASE_READ_URL = 'postgres://matchday@replica.example/matchday?sslmode=verify-full'
    expect(parseConfig({ ...production, DATABASE_READ_URL }).databaseReadUrl).toBe(DATABASE_READ_URL)
    expect(problemsOf({ ...production, DATABASE_URL: 'sqlite:data.db', DATABASE_READ_URL })).toEqual([
      'DATABASE_READ_URL is for PostgreSQL: DATABASE_URL is not a postgres:// URL, so it has no replica',
    ])
  })

  test('cannot be changed once it is parsed, at any depth', () => {
    const config = parseConfig(production)
    for (const part of [config, config.identity, config.docs, config.nativeTokens.key]) {
      expect(Object.isFrozen(part)).toBe(true)
    }
  })

  test('treats blank variables as missing, and trims values', () => {
    expect(parseConfig({ ...secrets, PORT: '', HOST: '  ', IDP_NAME: ' mine ' })).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      identity: { name: 'mine' },
    })
  })

  test('reads the server of the event sink and its credentials; plain nats:// only to this machine or network', () => {
    const sinkOf = (EVENT_SINK: string) => parseConfig({ ...production, EVENT_SINK }).eventSink
    const server = { host: '10.0.0.7', port: 4222, tls: false, credentials: null }
    expect(parseConfig(production).eventSink).toBeNull()
    expect(sinkOf('nats://10.0.0.7')).toEqual(server)
    expect(sinkOf('nats://localhost:4333/')).toEqual({ ...server, host: 'localhost', port: 4333 })
    expect(sinkOf('tls://[fd00::7]')).toEqual({ ...server, host: 'fd00::7', tls: true })
    const remote = { host: 'nats.example', port: 4222, tls: true }
    expect(sinkOf('tls://me:p%40ss@nats.example')).toEqual({
      ...remote,
      credentials: { user: 'me', pass: 'p@ss' },
    })
    expect(sinkOf('tls://s3cret@nats.example')).toEqual({ ...remote, credentials: { token: 's3cret' } })
    expect(parseConfig({ ...secrets, EVENT_SINK: 'nats://nats.example' }).eventSink).toMatchObject({
      tls: false,
    })
  })

  test('reads the credentials of pushes', () => {
    const pushOf = (credentials: object) =>
      parseConfig({ ...production, PUSH_CREDENTIALS: JSON.stringify(credentials) }).push
    expect(parseConfig(production).push).toEqual({ vapid: null, fcm: null, apns: null })
    const { vapid, fcm, apns } = pushOf(pushCredentials)
    expect(vapid).toMatchObject({
      privateKey: pushCredentials.vapid.key,
      subject: 'mailto:push@club.example',
    })
    expect(Buffer.from(vapid?.publicKey ?? '', 'base64url')).toHaveLength(65)
    expect(fcm).toMatchObject({ projectId: 'club', clientEmail: 'push@club.example' })
    expect(apns).toEqual({ ...pushCredentials.apns, sandbox: false })
    expect(parseConfig(secrets).push.vapid?.subject).toBe('mailto:development@matchday.invalid')
  })

  test.each([
    { fcn: {} },
    { vapid: { ...pushCredentials.vapid, key: 'hunter2' } },
    { vapid: { ...pushCredentials.vapid, key: Buffer.alloc(32).toString('base64url') } },
    { vapid: { key: pushCredentials.vapid.key } },
    { fcm: { ...pushCredentials.fcm, private_key: pushCredentials.apns.key } },
    { fcm: { ...pushCredentials.fcm, token_uri: 'http://oauth2.example' } },
    { apns: { ...pushCredentials.apns, key: pushCredentials.fcm.private_key } },
    { apns: { ...pushCredentials.apns, topic: undefined } },
    { apns: { ...pushCredentials.apns, sandbox: 'no' } },
  ])('refuses other credentials of pushes', credentials => {
    expect(faultsOf({ ...production, PUSH_CREDENTIALS: JSON.stringify(credentials) })).toEqual([
      'PUSH_CREDENTIALS',
    ])
  })

  test('reads where pictures are stored: a directory, or a bucket with credentials', () => {
    const uploadsOf = (more: Environment) => parseConfig({ ...production, ...more }).uploads
    expect(parseConfig(secrets).uploads).toEqual({ kind: 'directory', path: 'data/uploads' })
    expect(uploadsOf({})).toBeNull()
    expect(uploadsOf({ UPLOADS: '/srv/uploads' })).toEqual({ kind: 'directory', path: '/srv/uploads' })
    const credentials = { UPLOADS_ACCESS_KEY_ID: 'id', UPLOADS_SECRET_ACCESS_KEY: 'secret' }
    expect(uploadsOf({ UPLOADS: 's3://fans/a/b/', ...credentials })).toEqual({
      ...{ kind: 's3', bucket: 'fans', prefix: 'a/b/', endpoint: null, region: null },
      ...{ accessKeyId: 'id', secretAccessKey: 'secret' },
    })
    const refused: Environment[] = [
      { UPLOADS: 's3://fans' },
      { UPLOADS: 's3://', ...credentials },
      { UPLOADS: 'https://bucket.example', ...credentials },
      { UPLOADS: 's3://fans', ...credentials, UPLOADS_ENDPOINT: 'http://s3.example' },
      { UPLOADS: 's3://fans', ...credentials, UPLOADS_ENDPOINT: 'https://me:x@s3.example' },
    ]
    for (const more of refused) expect(() => uploadsOf(more)).toThrow('UPLOADS')
  })

  test('reads the chains of wallets, the site where fans sign, and who is asked', () => {
    const walletsOf = (more: Environment) => parseConfig({ ...production, ...more }).wallets
    const none = { chainIds: [], origin: null, rpcUrls: new Map(), allowPrivate: [] }
    expect(walletsOf({})).toEqual(none)
    expect(parseConfig(secrets).wallets).toEqual({ ...none, chainIds: [1], origin: 'http://localhost:3000' })
    expect(parseConfig({ ...secrets, WALLET_CHAIN_IDS: 'off' }).wallets).toEqual(none)
    const PUBLIC_URL = 'https://api.club.example/v1'
    expect(walletsOf({ WALLET_CHAIN_IDS: '1, 137,1', PUBLIC_URL })).toMatchObject({
      ...{ chainIds: [1, 137], origin: 'https://api.club.example' },
    })
    const WALLET_ORIGIN = 'https://app.club.example'
    expect(walletsOf({ WALLET_CHAIN_IDS: '1', PUBLIC_URL, WALLET_ORIGIN }).origin).toBe(WALLET_ORIGIN)
    const refused = [
      'http://club.example',
      'club.example',
      'https://club.example/app',
      'https://me@club.example',
    ]
    for (const WALLET_ORIGIN of refused)
      expect(() => walletsOf({ WALLET_CHAIN_IDS: '1', WALLET_ORIGIN })).toThrow('WALLET_ORIGIN')
    expect(
      walletsOf({
        ...{ WEB3_RPC_URLS: '1=https://rpc.example/?key=x , 5=http://geth.internal:8545' },
        WEB3_RPC_ALLOW_PRIVATE: 'geth.internal',
      }).rpcUrls,
    ).toEqual(
      new Map([
        [1, 'https://rpc.example/?key=x'],
        [5, 'http://geth.internal:8545/'],
      ]),
    )
  })

  test('removes the trailing slash of an issuer, and keeps its path', () => {
    const { identity } = parseConfig({ ...production, IDP_ISSUER: 'https://login.example.com/realms/fans/' })
    expect(identity.issuer).toBe('https://login.example.com/realms/fans')
  })

  test('keeps the path of PUBLIC_URL, without its trailing slash', () => {
    const PUBLIC_URL = 'https://api.club.example/v1/'
    expect(parseConfig({ ...production, PUBLIC_URL }).docs.publicUrl).toBe('https://api.club.example/v1')
  })

  test('links the QR code at the gate to the example app if it is served, or to CHECK_IN_URL', () => {
    const CHECK_IN_URL = 'https://app.club.example/check-in'
    expect(parseConfig(production).checkInUrl).toBeNull()
    expect(parseConfig({ ...production, CHECK_IN_URL }).checkInUrl).toBe(CHECK_IN_URL)
    expect(parseConfig({ ...secrets, DEMO_FOLDER: import.meta.dir }).checkInUrl).toBe('/demo/check-in')
    expect(parseConfig({ ...secrets, DEMO_FOLDER: import.meta.dir, CHECK_IN_URL }).checkInUrl).toBe(
      CHECK_IN_URL,
    )
  })

  test('reads `none` as a provider whose tokens have no typ', () => {
    expect(parseConfig({ ...production, IDP_TOKEN_TYP: 'None' }).identity.tokenTyp).toBeNull()
    expect(parseConfig({ ...production, IDP_TOKEN_TYP: 'JWT' }).identity.tokenTyp).toBe('JWT')
  })

  const { x, y, ...withoutPoint } = ownKey
  const { d, ...publicKey } = ownKey
  const { kid, ...withoutKid } = ownKey
  const unreadable = [
    ...['a#b', 'a/b', 'a?b', 'a%b', '1#b'].map(password => `postgres://fan:${password}@db.example/x`),
    'postgres://db.example:99999/x',
  ]
  const WRONG: Record<string, string[]> = {
    PORT: ['-1', '65536', '3e3', '0x50', '80.5', 'http', ' 80 81'],
    EVENT_RETENTION_DAYS: ['30', '36501', 'forever'],
    EVENT_SINK: [
      'hunter2',
      'nats://',
      'http://nats.example',
      'nats://nats.example',
      'nats://user:hunter2@nats.example',
      'tls://:hunter2@nats.example',
      'tls://user:%hunter2@nats.example',
      'tls://nats.example/subject',
      'tls://nats.example?token=hunter2',
      'tls://nats.example#x',
      'tls://nats.example:0',
      'tls://nats.example:65536',
      'tls://a.example,b.example',
    ],
    DEFAULT_LANGUAGE: ['english language', 'e', 'en_GB'],
    ONBOARDING_POINTS: ['-1', '1.5', '1e3', 'many', '1000000001'],
    CASH_CURRENCIES: ['euro', 'POINTS', 'EUR GBP', 'EUR,XYZ'],
    POINTS_EXPIRE_AFTER_DAYS: ['-1', '1', '30', '36501', 'never'],
    PREDICTION_POINTS_OUTCOME: ['-1', 'many'],
    PREDICTION_POINTS_DIFFERENCE: ['1.5'],
    PREDICTION_POINTS_EXACT: ['1000000001'],
    DATABASE_URL: [
      'sqlite:',
      'mysql://x/y',
      'data.db',
      'postgres://',
      'sqlite::memory:',
      'postgres://db.example/x?sslmode=prefer',
      'postgres://db.example/x?a=b&ssl=allow',
      ...unreadable,
    ],
    DATABASE_READ_URL: [
      'sqlite:data.db',
      'postgres://',
      'db.example',
      'postgres://db.example/x?sslmode=prefer',
      ...unreadable,
    ],
    DATABASE_SCHEMA: ['Harbour', '1st', 'a-b', 'a"b', 'pg_harbour', 'x'.repeat(64)],
    DATABASE_CA: [
      'hunter2',
      `${rootCertificates[0]}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
    ],
    IDP_ISSUER: [
      'login.example.com',
      'ftp://login.example.com',
      'http://login.example.com',
      'https://user:hunter2@login.example.com',
      'https://login.example.com?x=1',
      'https://login.example.com#x',
      'https://',
    ],
    IDP_NAME: ['Example', 'a b', 'a/b', '-a', 'x'.repeat(33), 'ü'],
    LOG_LEVEL: ['loud', 'INFO'],
    DOCS: ['true', '1', 'yes'],
    WALLET_CHAIN_IDS: ['0', '-1', '0x1', 'mainnet', '1;137', '1,,137', '9007199254740993', '1'],
    WEB3_RPC_URLS: [
      'https://rpc.example/hunter2',
      '1=',
      '1=rpc.example',
      'mainnet=https://rpc.example',
      '1=wss://rpc.example/hunter2',
      '1=https://me:hunter2@rpc.example',
      '1=https://rpc.example/#hunter2',
      '1=http://rpc.example/hunter2',
      '1=https://10.0.0.7/hunter2',
      '1=https://localhost/hunter2',
      '1=https://a.example,1=https://b.example',
    ],
    WEB3_RPC_ALLOW_PRIVATE: ['10.0.0.7', 'https://geth.internal'],
    PUBLIC_URL: [
      'api.club.example',
      'ftp://api.club.example',
      '/v1',
      'https://user:hunter2@api.club.example',
      'https://api.club.example?x=1',
      'https://api.club.example/#x',
    ],
    CHECK_IN_URL: ['app.club.example', 'https://app.club.example/#check-in', 'javascript:alert(1)'],
    CORS_ORIGINS: [
      '*',
      'null',
      'app.example.com',
      'https://app.example.com/',
      'https://*.example.com',
      'https://APP.example.com',
      'https://a.example,https://b.example/x',
      'http://app.example.com',
      'https://app.example.com:443',
    ],
    TRUSTED_PROXIES: [
      '-1',
      '11',
      'all',
      '10.0.0.0/0',
      '10.0.0.0/33',
      '10.0.0/8',
      '::/129',
      '1.1.1.1/8/8',
      '1, 2',
    ],
    TRUSTED_PROXY_HEADER: ['x-real-ip', 'both'],
    HSTS_MAX_AGE: ['-1', '1d', '63072001'],
    KEEP_ALIVE_SECONDS: ['0', '19', '256', '1m'],
    DRAIN_GRACE_MS: ['-1', '600001'],
    DRAIN_TIMEOUT_MS: ['0', '9'],
    MAX_WRITE_WAIT_MS: ['0', 'x'],
    DATABASE_POOL_SIZE: ['2', '1001', 'x'],
    DATABASE_STATEMENT_TIMEOUT_MS: ['99', '600001', '5s'],
    DATABASE_PREPARED_STATEMENTS: ['true', 'none'],
    MIGRATE: ['no', 'never'],
    PACK_HOLDS_PER_FAN: ['-1', 'x'],
    OPEN_TRADES_PER_FAN: ['0', 'x'],
    HELD_UNITS_PER_FAN: ['-1', '1.5'],
    OPEN_ORDERS_PER_FAN: ['0', '1001'],
    ORDER_ADDRESS_RETENTION_DAYS: ['-1', '36501'],
    TRADE_REST_HOURS: ['-1', '8761'],
    RATE_LIMIT_ADDRESS: ['-1', '1.5', 'x'],
    RATE_LIMITS: [
      '60',
      'claims',
      'claims=',
      'claims=-1',
      'claims=1.5',
      'claims=1=2',
      'claims=1000000001',
      'Claims=60',
      'address=60',
    ],
    IDP_WEBHOOK_SECRET: ['hunter2', 'whsec_', 'whsec_aHVudGVyMg==', `whsec_${'!'.repeat(40)}`],
    NATIVE_TOKEN_KEY: [
      'hunter2',
      'null',
      '[]',
      '7',
      '{}',
      JSON.stringify(withoutPoint),
      JSON.stringify(publicKey),
      JSON.stringify(withoutKid),
      JSON.stringify({ ...ownKey, kid: '' }),
      JSON.stringify({ ...ownKey, d: 'hunter2' }),
      JSON.stringify({ kty: 'oct', k: 'hunter2', kid: 'a' }),
      JSON.stringify({ kty: 'RSA', d: 'x', kid: 'a' }),
    ],
  }
  for (const [name, values] of Object.entries(WRONG)) {
    test(`refuses an invalid ${name} and shows no value`, () => {
      for (const value of values) {
        const problems = problemsOf({ ...production, [name]: value })
        expect([value, problems.map(problem => problem.split(' ')[0])]).toEqual([value, [name]])
        expect(problems.join()).not.toContain('hunter2')
        if (value.length > 12) expect(problems.join()).not.toContain(value)
      }
    })
  }

  test.each([
    [{ alg: 'RS256' }, 'its alg does not fit its kty EC, and must be ES256, or left out'],
    [{ alg: 'ES384' }, 'its alg does not fit its kty EC, and must be ES256, or left out'],
    [{ alg: 'EdDSA' }, 'its alg does not fit its kty EC, and must be ES256, or left out'],
    [{ use: 'enc' }, 'its use must be sig, or left out'],
    [{ key_ops: ['deriveKey'] }, 'its key_ops must include sign, or be left out'],
    [{ alg: 'ES256', use: 'sig', key_ops: ['sign'] }, null],
  ])('a signing key with %j is refused unless it signs', (members, fault) => {
    const key = JSON.stringify({ ...ownKey, ...members })
    expect(problemsOf({ ...production, NATIVE_TOKEN_KEY: key })).toEqual(
      fault === null ? [] : [`NATIVE_TOKEN_KEY must be a key that signs tokens: ${fault}`],
    )
    const previous = JSON.stringify([{ ...publicKey, kid: 'earlier', ...members }])
    expect(problemsOf({ ...production, NATIVE_TOKEN_PREVIOUS_KEYS: previous })).toEqual(
      fault === null ? [] : [`NATIVE_TOKEN_PREVIOUS_KEYS must be keys that signed tokens: ${fault}`],
    )
  })

  test.each([
    [{ CONSOLE_ISSUER: 'https://staff.example' }, ['CONSOLE_CLIENT_ID']],
    [{ CONSOLE_ISSUER: 'http://staff.example', CONSOLE_CLIENT_ID: 'console' }, ['CONSOLE_ISSUER']],
    [{ CONSOLE_ISSUER: 'https://staff.example/?realm=a', CONSOLE_CLIENT_ID: 'console' }, ['CONSOLE_ISSUER']],
    [
      { CONSOLE_CLIENT_ID: 'console', CONSOLE_CLIENT_SECRET: 'hunter2' },
      ['CONSOLE_CLIENT_ID', 'CONSOLE_CLIENT_SECRET'],
    ],
    [{ CONSOLE_ROLE_CLAIM: 'groups' }, ['CONSOLE_ROLE_CLAIM']],
    [
      { CONSOLE_ISSUER: 'https://staff.example', CONSOLE_CLIENT_ID: 'console', CONSOLE_ROLE_CLAIM: 'groups' },
      [],
    ],
  ])('the provider of the staff: %j', (env, faults) => {
    const console = { CONSOLE_PORT: '3100', CONSOLE_URL: 'https://console.example' }
    expect(faultsOf({ ...console, ...env })).toEqual(faults)
  })

  test('accepts an Ed25519 key as well as a P-256 key', async () => {
    const pair = await generateKeyPair('Ed25519', { extractable: true })
    const key = { ...(await exportJWK(pair.privateKey)), kid: 'key-2' }
    expect(faultsOf({ NATIVE_TOKEN_KEY: JSON.stringify(key) })).toEqual([])
  })

  test('refuses the provider’s issuer as the issuer of native tokens', () => {
    const { IDP_ISSUER = '' } = production
    for (const [NATIVE_TOKEN_ISSUER, issuer] of [
      [IDP_ISSUER, IDP_ISSUER],
      [`${IDP_ISSUER}/`, IDP_ISSUER],
      [IDP_ISSUER, `${IDP_ISSUER}/`],
    ]) {
      expect(faultsOf({ NATIVE_TOKEN_ISSUER, IDP_ISSUER: issuer })).toEqual(['NATIVE_TOKEN_ISSUER'])
    }
    expect(faultsOf({ NATIVE_TOKEN_ISSUER: 'https://api.example.com' })).toEqual([])
  })

  test('accepts previous keys, private or public, and refuses unusable and duplicate ones', () => {
    const older = { ...ownKey, kid: 'key-0' }
    const { d: _, ...olderPublic } = older
    const withPrevious = (keys: unknown) => faultsOf({ NATIVE_TOKEN_PREVIOUS_KEYS: JSON.stringify(keys) })
    for (const good of [[], [older], [olderPublic]]) expect(withPrevious(good)).toEqual([])
    for (const wrong of [
      older,
      [null],
      ['key'],
      [withoutKid],
      [{ kty: 'oct', k: 'AAAA', kid: 'a' }],
      [{ ...olderPublic, crv: 'P-384' }],
      [older, olderPublic],
      [publicKey],
      [{ ...older, kid: 'dev-0' }],
    ]) {
      expect([wrong, withPrevious(wrong)]).toEqual([wrong, ['NATIVE_TOKEN_PREVIOUS_KEYS']])
    }
    expect(faultsOf({ NATIVE_TOKEN_PREVIOUS_KEYS: '[' })).toEqual(['NATIVE_TOKEN_PREVIOUS_KEYS'])
  })

  test('reads required claims as pairs or names, and refuses anything else', () => {
    const required = (text: string) =>
      parseConfig({ ...production, IDP_REQUIRED_CLAIMS: text }).identity.requiredClaims
    expect(required('token_use=access, sid ,v=2')).toEqual({ token_use: 'access', sid: null, v: 2 })
    for (const wrong of ['=access', 'token_use=', 'a=b=c', 'sid,=', 'n=9007199254740993', 'n=1e999']) {
      expect([wrong, faultsOf({ IDP_REQUIRED_CLAIMS: wrong })]).toEqual([wrong, ['IDP_REQUIRED_CLAIMS']])
    }
  })

  test('reads the value of a required claim as JSON, or else as a string', () => {
    const required = (value: string) =>
      parseConfig({ ...production, IDP_REQUIRED_CLAIMS: `c=${value}` }).identity.requiredClaims.c
    for (const [value, read] of [
      ['true', true],
      ['"true"', 'true'],
      ['2', 2],
      ['"2"', '2'],
      ['007', '007'],
      ['True', 'True'],
      ['null', 'null'],
      ['[1]', '[1]'],
      ['"', '"'],
    ] as const)
      expect([value, required(value)]).toEqual([value, read])
  })

  test('reads allowed clients separated by commas, and required scopes separated by spaces', () => {
    const { identity } = parseConfig({
      ...production,
      IDP_ALLOWED_CLIENTS: 'app, https://app.example.com,',
      IDP_REQUIRED_SCOPES: ' openid  fans:read ',
    })
    expect(identity.allowedClients).toEqual(['app', 'https://app.example.com'])
    expect(identity.requiredScopes).toEqual(['openid', 'fans:read'])
    expect(parseConfig(production).identity).toMatchObject({ allowedClients: [], requiredScopes: [] })
  })

  test('requires https for every URL of the provider in production, and accepts any issuer without discovery', () => {
    for (const name of ['IDP_JWKS_URL', 'IDP_USERINFO_URL']) {
      expect(faultsOf({ [name]: 'https://login.example.com/x' })).toEqual([])
      for (const url of [
        'http://login.example.com/x',
        'login.example.com',
        'https://a:b@login.example.com/x',
      ]) {
        expect([url, faultsOf({ [name]: url })]).toEqual([url, [name]])
      }
      expect(faultsOf({ ...secrets, NODE_ENV: undefined, [name]: 'http://localhost:4000/x' })).toEqual([])
    }
    expect(faultsOf({ IDP_ISSUER: 'privy.io' })).toEqual(['IDP_ISSUER'])
    expect(faultsOf({ IDP_ISSUER: 'privy.io', IDP_JWKS_URL: 'https://auth.privy.io/keys' })).toEqual([])
  })

  test('refuses a loopback or private address of the provider in production only', () => {
    for (const host of [
      'localhost',
      'idp.localhost',
      '127.0.0.1:8443',
      '10.0.0.7',
      '169.254.169.254',
      '[::1]',
      '[fd00::7]',
    ]) {
      for (const name of ['IDP_ISSUER', 'IDP_JWKS_URL', 'IDP_USERINFO_URL']) {
        const env = { [name]: `https://${host}/x` }
        expect(problemsOf({ ...production, ...env })).toEqual([
          `${name} must not be a loopback or private address in production; IDP_ALLOW_PRIVATE lists host names that may be private`,
        ])
        expect(faultsOf({ ...secrets, NODE_ENV: undefined, ...env })).toEqual([])
      }
    }
  })

  test('lists every problem in one message, without values', () => {
    const wrong = Object.fromEntries(Object.entries(WRONG).map(([name, [value]]) => [name, value]))
    const error = (() => {
      try {
        return parseConfig({ ...production, ...wrong })
      } catch (thrown) {
        return thrown
      }
    })()
    expect(error).toBeInstanceOf(ConfigError)
    for (const name of Object.keys(WRONG)) expect(String(error)).toContain(`  - ${name} `)
    expect(String(error)).not.toContain('hunter2')
  })

  test('by default trusts no proxy, allows no origin and does not require HTTPS', () => {
    for (const env of [production, { ...secrets }]) {
      const { network } = parseConfig(env)
      expect(network).toMatchObject({ corsOrigins: [], hstsSeconds: 0, trustedProxies: { kind: 'none' } })
    }
    const isLoopbackAllowed = (env: Environment) => parseConfig(env).network.corsLoopback
    expect([
      isLoopbackAllowed(production),
      isLoopbackAllowed({ ...secrets, NODE_ENV: 'development' }),
    ]).toEqual([false, true])
    expect(parseConfig(production).network.drainGraceMs).toBeGreaterThan(0)
    expect(parseConfig({ ...secrets }).network.drainGraceMs).toBe(0)
    const { corsOrigins } = parseConfig({ ...secrets, CORS_ORIGINS: 'http://localhost:5173,' }).network
    expect(corsOrigins).toEqual(['http://localhost:5173'])
    expect(faultsOf({ CORS_ORIGINS: 'https://fans.example,capacitor://localhost' })).toEqual([])
  })

  test('has low rate limits in production, and high ones in development but for unknown codes', () => {
    const strict = parseConfig(production).limits.rates
    for (const [policy, rate] of Object.entries(parseConfig({ ...secrets }).limits.rates)) {
      const isGuess = policy.startsWith('codes') || policy.startsWith('withdrawals')
      expect([policy, rate]).toEqual([policy, isGuess ? strict[policy as keyof typeof strict] : 1_000_000])
      expect(strict[policy as keyof typeof strict], policy).toBeLessThan(10_000)
    }
    expect(parseConfig({ ...production, RATE_LIMIT_CALLER: '0' }).limits.rates.caller).toBe(0)
  })

  test('reads the rate limits that RATE_LIMITS lists, and says which item is wrong', () => {
    const ratesOf = (RATE_LIMITS: string) => parseConfig({ ...production, RATE_LIMITS }).limits.rates
    expect(ratesOf(' claims = 120 ,tokensPerAddress=0,')).toEqual({
      ...ratesOf(''),
      claims: 120,
      tokensPerAddress: 0,
    })
    expect(problemsOf({ ...production, RATE_LIMITS: 'claims=1,hunter2=3,trades=x,claims=2' })).toEqual([
      'RATE_LIMITS item 2 must begin with one of tokensPerAddress=, tokens=, claims=, purchases=, uploads=, relations=, reports=, trades=, wallets=, redemptions=, codes=, codesPerAddress=, withdrawals=, withdrawalsPerAddress=, notices=, noticesPerAddress=',
      'RATE_LIMITS item 3 must be trades= and a whole number from 0 to 1000000000',
      'RATE_LIMITS item 4 repeats claims',
    ])
  })

  test('refuses development secrets in production, by their content and not by their location', () => {
    expect(faultsOf({ ...secrets })).toEqual(['IDP_WEBHOOK_SECRET', 'NATIVE_TOKEN_KEY', 'PUSH_CREDENTIALS'])
    expect(problemsOf({ ...production, ...secrets }).join()).toContain('development')
    expect(faultsOf({ ...secrets, NODE_ENV: 'development' })).toEqual([])
  })

  test('accepts an issuer with plain http outside of production only', () => {
    const env = { IDP_ISSUER: 'http://login.example.com' }
    expect(faultsOf({ ...env, NODE_ENV: undefined })).toEqual([])
    expect(problemsOf({ ...production, ...env })).toEqual(['IDP_ISSUER must be https in production'])
  })
})

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const fileOf = async (name: string, content: string) => {
    const path = join(folder, name)
    await Bun.write(path, content)
    return path
  }
  const { d: _, ...publicKey } = { ...ownKey, kid: 'key-0' }
  const full: Environment = {
    ...production,
    NATIVE_TOKEN_PREVIOUS_KEYS: JSON.stringify([publicKey]),
    DATABASE_READ_URL: 'postgres://matchday:hunter2@replica.example/matchday',
    DATABASE_CA: rootCertificates[0],
    PAYMENT_GATEWAY: 'stripe',
    STRIPE_SECRET_KEY: 'sk_test_hunter2',
    STRIPE_WEBHOOK_SECRET: 'whsec_hunter2',
    EVENT_SINK: 'tls://me:hunter2@nats.example',
    PUSH_CREDENTIALS: JSON.stringify(pushCredentials),
    UPLOADS: 's3://fans',
    UPLOADS_ACCESS_KEY_ID: 'hunter2-id',
    UPLOADS_SECRET_ACCESS_KEY: 'hunter2-secret',
    WEB3_RPC_URLS: '1=https://rpc.example/hunter2',
  }

  test.each([
    'DATABASE_URL',
    'DATABASE_READ_URL',
    'DATABASE_CA',
    'IDP_WEBHOOK_SECRET',
    'NATIVE_TOKEN_KEY',
    'NATIVE_TOKEN_PREVIOUS_KEYS',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'EVENT_SINK',
    'PUSH_CREDENTIALS',
    'UPLOADS_ACCESS_KEY_ID',
    'UPLOADS_SECRET_ACCESS_KEY',
    'WEB3_RPC_URLS',
  ])('%s_FILE is read without its trailing newline, and not together with the variable', async name => {
    const path = await fileOf(name, `${full[name]}\n`)
    const inFile = { ...full, [name]: '', [`${name}_FILE`]: path }
    expect(parseConfig(inFile)).toEqual(parseConfig(full))
    expect(problemsOf({ ...inFile, [name]: full[name] })).toEqual([
      `${name} and ${name}_FILE are both set: set one of them`,
    ])
  })

  test.each(['DATABASE_URL', 'DATABASE_READ_URL', 'NATIVE_TOKEN_KEY', 'STRIPE_SECRET_KEY'])(
    '%s_FILE that cannot be used is the one problem, without path and content',
    async name => {
      const problemOf = (path: string) => problemsOf({ ...full, [name]: undefined, [`${name}_FILE`]: path })
      const unreadable = (code: string) => [`${name}_FILE names a file that cannot be read (${code})`]
      expect(problemOf(join(folder, 'absent'))).toEqual(unreadable('ENOENT'))
      expect(problemOf(folder)).toEqual(unreadable('EISDIR'))
      expect(problemOf(await fileOf('empty', ' \n'))).toEqual([`${name}_FILE names an empty file`])
      const [problem = '', ...others] = problemOf(await fileOf('invalid', 'hunter2\n'))
      expect([problem.split(' ')[0], others]).toEqual([name, []])
      expect(problem).not.toContain('hunter2')
    },
  )

  test('a list of words in UTF-16 is read, and one in another encoding is refused', async () => {
    const listIn = async (name: string, bytes: Buffer) => {
      const path = join(folder, name)
      await Bun.write(path, bytes)
      return { ...full, TEXT_FILTER: 'block', TEXT_FILTER_LIST: path }
    }
    const marked = await listIn('marked', Buffer.from('\ufeffrivais\r\nálgebra\r\n', 'utf16le'))
    expect(parseConfig(marked).settings.textFilterList).toEqual(['rivais', 'álgebra'])
    for (const bytes of [Buffer.from('rivais\n', 'utf16le'), Buffer.from('álgebra\n', 'latin1')])
      expect(problemsOf(await listIn('other', bytes))).toEqual([
        'TEXT_FILTER_LIST names a file that is not text in UTF-8: save it as UTF-8',
      ])
  })

  test('a misspelt NAME_FILE is refused, and the error suggests the correct name', () => {
    expect(problemsOf({ ...production, NATIVE_TOKEN_KEY_FLE: '/run/secrets/key' })).toEqual([
      'NATIVE_TOKEN_KEY_FLE is not a setting: did you mean NATIVE_TOKEN_KEY_FILE?',
    ])
  })

  test('is not replaced by a development secret', async () => {
    const path = await fileOf('key', JSON.stringify(ownKey))
    const env = {
      NATIVE_TOKEN_KEY_FILE: path,
      IDP_WEBHOOK_SECRET_FILE: path,
      PUSH_CREDENTIALS_FILE: path,
    }
    expect(await withDevelopmentSecrets(env, join(folder, 'never'))).toEqual(env)
    const filled = await withDevelopmentSecrets({ NATIVE_TOKEN_KEY_FILE: path }, join(folder, 'made'))
    expect(parseConfig(filled).nativeTokens.key).toEqual(ownKey)
  })
})

describe('withDevelopmentSecrets', () => {
  const folder = mkdtempSync(join(tmpdir(), 'matchday-test-'))
  const file = (name: string) => join(folder, name, 'secrets.json')
  afterAll(() => rmSync(folder, { recursive: true }))

  test('generates missing secrets once, readable by their owner only, and reads them afterwards', async () => {
    const first = await withDevelopmentSecrets({ PORT: '1' }, file('once'))
    expect(faultsOf(first, {})).toEqual([])
    expect(first.PORT).toBe('1')
    expect(statSync(file('once')).mode & 0o777).toBe(0o600)
    expect(await withDevelopmentSecrets({ PORT: '1' }, file('once'))).toEqual(first)
  })

  test('twenty concurrent starts get the same secrets, and no temporary file remains', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => withDevelopmentSecrets({}, file('race'))))
    expect(new Set(made.map(env => JSON.stringify(env))).size).toBe(1)
    expect(readdirSync(join(folder, 'race'))).toEqual(['secrets.json'])
  })

  test('keeps existing variables, and treats a blank one as missing', async () => {
    const env = { NATIVE_TOKEN_KEY: '', IDP_WEBHOOK_SECRET: production.IDP_WEBHOOK_SECRET }
    const filled = await withDevelopmentSecrets(env, file('blank'))
    expect(filled.IDP_WEBHOOK_SECRET).toBe(production.IDP_WEBHOOK_SECRET)
    expect(faultsOf(filled, {})).toEqual([])
  })

  test('does nothing in production, or if nothing is missing', async () => {
    const env = { NODE_ENV: 'production' }
    expect(await withDevelopmentSecrets(env, file('never'))).toEqual(env)
    expect(await withDevelopmentSecrets({ ...secrets }, file('never'))).toEqual({ ...secrets })
    expect(readdirSync(folder)).not.toContain('never')
  })

  test('says what to do with an unreadable file', async () => {
    await Bun.write(file('broken'), '{"NATIVE_TOKEN_KEY":')
    await expect(withDevelopmentSecrets({}, file('broken'))).rejects.toThrow('delete it and start again')
  })
})
