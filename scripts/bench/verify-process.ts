/** `bun verify-process.ts FILE SECONDS`: measures the token verifications per second of this process, with jose and with node:crypto. */
import { createPublicKey, verify } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { AUDIENCE, ISSUER } from './issuer.ts'

const { tokens, jwks, publicKey, algorithm } = await Bun.file(process.argv[2] ?? '').json()
const seconds = Number(process.argv[3])
const findKey = createLocalJWKSet(jwks)
const rules = { issuer: ISSUER, audience: AUDIENCE, typ: 'at+jwt', algorithms: [algorithm] }

/** Concurrent verifications, as in a server: jose verifies in other threads. */
const CONCURRENCY = 32

/** By wall time, and by the CPU time of all threads, which does not depend on other processes. */
async function measure(run: () => Promise<number> | number) {
  const [from, cpu] = [performance.now(), process.cpuUsage()]
  const done = await run()
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: (done * 1_000) / (performance.now() - from),
    perCpuSecond: (done * 1_000_000) / (user + system),
  }
}

async function withJose(): Promise<number> {
  const end = performance.now() + seconds * 1000
  let done = 0
  const worker = async () => {
    while (performance.now() < end) await jwtVerify(tokens[done++ % tokens.length], findKey, rules)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return done
}

/** Only the signature, on this thread. */
function withNodeCrypto(): number {
  const key = createPublicKey(publicKey)
  const end = performance.now() + seconds * 1000
  let done = 0
  while (performance.now() < end) {
    const token = tokens[done++ % tokens.length] as string
    const dot = token.lastIndexOf('.')
    const signature = Buffer.from(token.slice(dot + 1), 'base64url')
    const valid = verify(
      'sha256',
      Buffer.from(token.slice(0, dot)),
      { key, dsaEncoding: 'ieee-p1363' },
      signature,
    )
    if (!valid) throw new Error('a token does not verify')
  }
  return done
}

await jwtVerify(tokens[0], findKey, rules)
process.stdout.write(
  JSON.stringify({ jose: await measure(withJose), nodeCrypto: await measure(withNodeCrypto) }),
)
