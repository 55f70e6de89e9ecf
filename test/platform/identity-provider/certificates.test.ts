/** A provider whose certificate is of a CA of the operator's own. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'
import { startApi } from '../../support/processes.ts'

let folder: string
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'matchday-ca-'))
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
    ],
  })
  writeFileSync(join(folder, 'ca.pem'), cert)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    tls: { key, cert },
    fetch({ url }) {
      const origin = `https://localhost:${server.port}`
      if (!url.includes('openid')) return Response.json({ keys: [] })
      return Response.json({ issuer: origin, jwks_uri: `${origin}/keys` })
    },
  })
})
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

async function providerCheck(env: Record<string, string>): Promise<string> {
  const IDP_ISSUER = `https://localhost:${server.port}`
  const api = await startApi({ DATABASE_URL: `sqlite:${join(folder, 'test.db')}`, IDP_ISSUER, ...env })
  try {
    const response = await fetch(`${api.origin}/readyz`)
    // Guarantee: the documented answer.
    return ((await response.json()) as { checks: { identityProvider: string } }).checks.identityProvider
  } finally {
    await api.stop()
  }
}

test('that is not trusted is named by /readyz, and is trusted with NODE_EXTRA_CA_CERTS', async () => {
  expect(await providerCheck({})).toMatch(
    /^its certificate is not trusted \([A-Z_]+\); NODE_EXTRA_CA_CERTS names a file with further CAs$/,
  )
  expect(await providerCheck({ NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') })).not.toContain('certificate')
})
