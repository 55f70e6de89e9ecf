/** Requests go to public addresses only, and connect to the address that was checked. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { lookup } from 'node:dns/promises'
import { hostname } from 'node:os'
import { brotliCompressSync } from 'node:zlib'
import { generate } from 'selfsigned'
import { createGuardedFetch, isInternalHost } from '../../src/core/ssrf-guard.ts'
import { fetchJson } from '../../src/platform/identity-provider/fetch-json.ts'
import { ownSecrets } from '../platform/identity-provider/own-secrets.ts'
import { createClock } from '../support/clock.ts'
import { sqliteEngine } from '../support/engines.ts'
import { startApi } from '../support/processes.ts'
import { waitUntil } from '../support/wait-until.ts'

describe('isInternalHost', () => {
  test('recognises internal networks in every notation', () => {
    for (const address of [
      '0.0.0.0',
      '10.255.255.255',
      '100.64.0.1',
      '127.1.2.3',
      '169.254.169.254',
      '172.31.0.1',
      '192.168.0.1',
      '192.168.1.1',
      '198.18.0.1',
      '224.0.0.1',
      '255.255.255.255',
      '::',
      '[::1]',
      '::127.0.0.1',
      '::ffff:10.0.0.1',
      '::ffff:0.0.0.1',
      // IPv4-translated (SIIT, RFC 2765), discard-only, SRv6, reserved.
      '::ffff:0:127.0.0.1',
      '[::ffff:0:7f00:1]',
      '::FFFF:0:a00:1',
      '100::1',
      '5f00::1',
      '4000::1',
      '64:ff9b::a00:1',
      '64:ff9b::',
      '64:ff9b:1::808:808',
      '2002:7f00:1::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
      'fc00::1',
      'fe80::1',
      'fe80::1%eth0',
      'fec0::1',
      'ff02::1',
      'localhost',
      'LOCALHOST.',
      'idp.localhost',
    ]) {
      expect([address, isInternalHost(address)]).toEqual([address, true])
    }
    for (const address of [
      '8.8.8.8',
      '100.128.0.1',
      '172.32.0.1',
      '192.167.1.1',
      '2606:4700::1',
      '2001:4860:4860::8888',
      '::ffff:8.8.8.8',
      '64:ff9b::808:808',
      'login.example.com',
      'localhost.example.com',
    ]) {
      expect([address, isInternalHost(address)]).toEqual([address, false])
    }
  })
})

interface Sent {
  url: string
  init: BunFetchRequestInit
}

/** A guard with a transport that records requests. */
function createNetwork(
  answers: string[][],
  reply: (sent: Sent) => Response = () => new Response('ok'),
  allowPrivate: string[] = [],
) {
  const sent: Sent[] = []
  const resolved: string[] = []
  const guarded = createGuardedFetch({
    publicOnly: true,
    allowPrivate,
    resolve: async name => {
      resolved.push(name)
      return answers[Math.min(resolved.length, answers.length) - 1] ?? []
    },
    transport: async (url, init) => {
      sent.push({ url, init })
      return reply({ url, init })
    },
  })
  return { guarded, sent, resolved }
}

const get = (url: string, init?: RequestInit) => new Request(url, init)
const refused = (error: Promise<unknown>) => expect(error).rejects.toThrow('its address is not permitted')

describe('a guarded fetch of public addresses only', () => {
  test.each([
    ['the loopback', ['127.0.0.1']],
    ['the loopback of IPv6', ['::1']],
    ['a private network', ['10.1.2.3']],
    ['the metadata service of a cloud', ['169.254.169.254']],
    ['a private network behind an IPv4-mapped address', ['::ffff:192.168.0.1']],
    ['a public and a private address', ['8.8.8.8', '10.1.2.3']],
    ['nothing', []],
  ])('sends nothing to a name that resolves to %s', async (_, addresses) => {
    const { guarded, sent } = createNetwork([addresses])
    await refused(guarded(get('https://login.example.com/userinfo')))
    expect(sent).toEqual([])
  })

  test('sends nothing to an internal address in the URL, and does not resolve it', async () => {
    const { guarded, sent, resolved } = createNetwork([['8.8.8.8']])
    for (const host of ['localhost', '127.0.0.1:8443', '[::1]', '127.1', 'localhost.']) {
      await refused(guarded(get(`https://${host}/`)))
    }
    expect([sent, resolved]).toEqual([[], []])
  })

  test('connects to the address that was checked, although a second DNS response differs', async () => {
    const { guarded, sent, resolved } = createNetwork([['8.8.8.8'], ['127.0.0.1']])
    const headers = { authorization: 'Bearer a-token' }
    await guarded(get('https://login.example.com:8443/userinfo?a=b', { headers }))
    expect(resolved).toEqual(['login.example.com'])
    expect(sent.map(({ url }) => url)).toEqual(['https://8.8.8.8:8443/userinfo?a=b'])
    const { init } = sent[0] as Sent
    expect(Object.fromEntries(init.headers as Headers)).toEqual({
      ...headers,
      host: 'login.example.com:8443',
    })
    expect(init.tls).toEqual({ serverName: 'login.example.com' })
    await refused(guarded(get('https://login.example.com:8443/userinfo')))
    expect(sent).toHaveLength(1)
  })

  test('never follows a redirect, also if the request asks for it', async () => {
    const { guarded, sent } = createNetwork([['8.8.8.8']])
    await guarded(get('https://login.example.com/', { redirect: 'follow' }))
    expect(sent[0]?.init.redirect).toBe('manual')
  })

  test('tries the next address, with the same body, only if no connection was established', async () => {
    const failing = (code: string) =>
      createNetwork([['8.8.8.8', '2606:4700::1']], ({ url }) => {
        if (url.includes('8.8.8.8')) throw Object.assign(new TypeError(code), { code })
        return new Response('ok')
      })
    const unreachable = failing('ECONNREFUSED')
    await unreachable.guarded(get('https://hooks.example.com/', { method: 'POST', body: '{}' }))
    expect(unreachable.sent.map(({ url }) => url)).toEqual(['https://8.8.8.8/', 'https://[2606:4700::1]/'])
    for (const { init } of unreachable.sent) {
      expect([init.method, await new Response(init.body).text()]).toEqual(['POST', '{}'])
    }
    const broken = failing('ECONNRESET')
    await expect(broken.guarded(get('https://hooks.example.com/'))).rejects.toThrow('ECONNRESET')
    expect(broken.sent).toHaveLength(1)
  })
})

describe('a guarded fetch with a host that may be private', () => {
  const ask = (addresses: string[], host = 'keycloak.internal') => {
    const network = createNetwork([addresses], undefined, ['keycloak.internal', 'localhost'])
    return { ...network, answer: network.guarded(get(`https://${host}/realms/club`)) }
  }

  test.each(['10.1.2.3', '172.16.0.9', '192.168.0.1', '100.64.0.1', '127.0.0.1', '8.8.8.8'])(
    'connects to the host at %s, pinned and under its name',
    async address => {
      const { answer, sent } = ask([address])
      expect((await answer).status).toBe(200)
      expect(sent.map(({ url, init }) => [url, init.tls])).toEqual([
        [`https://${address}/realms/club`, { serverName: 'keycloak.internal' }],
      ])
    },
  )

  test('connects to the host at IPv6 addresses, and to localhost if it is listed', async () => {
    for (const address of ['::1', 'fd12:3456::1']) expect((await ask([address]).answer).status).toBe(200)
    expect((await ask(['127.0.0.1'], 'localhost').answer).status).toBe(200)
  })

  test.each([
    ...['169.254.169.254', '169.254.0.1', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254', 'fe80::1'],
    ...[
      '::ffff:169.254.169.254',
      '::ffff:100.100.100.200',
      '64:ff9b::a9fe:a9fe',
      '0.0.0.0',
      '::',
      '224.0.0.1',
    ],
  ])('never connects to %s', async address => {
    for (const addresses of [[address], ['10.1.2.3', address]]) {
      const { answer, sent } = ask(addresses)
      await refused(answer)
      expect(sent).toEqual([])
    }
  })

  test('refuses private addresses of every other host, parents and children of its name included', async () => {
    for (const host of ['internal', 'a.keycloak.internal', 'keycloak.internal.example.com', '10.1.2.3'])
      await refused(ask(['10.1.2.3'], host).answer)
  })
})

describe('over a TCP connection', () => {
  let server: ReturnType<typeof Bun.serve>
  let certificate: string
  const names: string[] = []
  beforeAll(async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'login.example.com' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'login.example.com' }] }],
    })
    certificate = cert
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: { key, cert },
      fetch(request) {
        names.push(new URL(request.url).hostname)
        return Response.json({ accepts: request.headers.get('accept-encoding') })
      },
    })
  })
  afterAll(() => server.stop(true))

  /** The host resolves to 8.8.8.8; the transport connects to the server of this test instead. */
  const guardedFor = (ca: string | undefined) =>
    createGuardedFetch({
      publicOnly: true,
      resolve: async () => ['8.8.8.8'],
      transport: (url, { tls, ...init }) =>
        fetch(url.replace('8.8.8.8', '127.0.0.1'), { ...init, tls: { ...tls, ca } }),
    })

  test('the certificate is verified against the host name, not against the address', async () => {
    const url = (host: string) => `https://${host}:${server.port}/`
    const answer = await guardedFor(certificate)(get(url('login.example.com')))
    expect(await answer.json()).toEqual({ accepts: null })
    expect(names).toEqual(['login.example.com'])
    await expect(guardedFor(certificate)(get(url('other.example.com')))).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    await expect(guardedFor(undefined)(get(url('login.example.com')))).rejects.toThrow('certificate')
    expect(names).toHaveLength(1)
  })

  test('a compressed response is not expanded in memory, and is refused unread', async () => {
    const bomb = brotliCompressSync(Buffer.alloc(16 * 1024 * 1024, ' '))
    expect(bomb.byteLength).toBeLessThan(1024)
    await using bombs = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(bomb, { headers: { 'content-encoding': 'br' } }),
    })
    const url = bombs.url.href
    const guarded = createGuardedFetch({ publicOnly: false })
    expect((await (await guarded(get(url))).bytes()).byteLength).toBe(bomb.byteLength)
    await expect(fetchJson({ fetch: guarded, url, deadlineMs: 30_000, maxBytes: 262_144 })).rejects.toThrow(
      'its response is compressed',
    )
  })
})

const self = hostname()
const addresses = await lookup(self, { all: true }).catch(() => [])
const isInside = addresses.some(({ address }) => isInternalHost(address))
const where = isInside ? '' : ' (skipped: the name of this machine resolves to no internal address)'

test.skipIf(!isInside)(
  `the API in production does not call a name that resolves inside${where}`,
  async () => {
    const temporary = await sqliteEngine.open(createClock())
    const api = await startApi({
      ...(await ownSecrets()),
      NODE_ENV: 'production',
      PUSH_CREDENTIALS: '',
      DRAIN_GRACE_MS: '0',
      DATABASE_URL: temporary.url ?? '',
      IDP_ISSUER: `https://${self}:1`,
      IDP_AUDIENCE: 'matchday-api',
      IDP_NAME: 'example',
    })
    try {
      const reason = await waitUntil('the provider was called', async () => {
        const ready = await fetch(`${api.origin}/readyz`)
        const { checks } = (await ready.json()) as { checks: { identityProvider: string } }
        return /^(its|no) /.test(checks.identityProvider) && checks.identityProvider
      })
      expect(reason).toBe('its address is not permitted')
    } finally {
      await api.stop()
      await temporary.remove()
    }
  },
)
