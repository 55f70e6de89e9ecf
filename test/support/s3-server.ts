/** An S3-compatible server of one bucket, in memory, which verifies the signature of each request (AWS Signature Version 4). */
import { createHmac, hash } from 'node:crypto'

export interface S3Server {
  endpoint: string
  /** By key. */
  objects: Map<string, Uint8Array>
  /** As `PUT /bucket/key 200`. */
  requests: string[]
  /** Answers every request with 503. */
  failing: boolean
  stop(): Promise<void>
}

export const S3_CREDENTIALS = { accessKeyId: 'test-key-id', secretAccessKey: 'test-secret-of-s3' }

export function startS3Server(bucket: string): S3Server {
  const objects = new Map<string, Uint8Array>()
  const requests: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const response = await answer(request, pathname)
      requests.push(`${request.method} ${pathname} ${response.status}`)
      return response
    },
  })
  const started: S3Server = {
    endpoint: `http://127.0.0.1:${server.port}`,
    objects,
    requests,
    failing: false,
    stop: () => server.stop(true),
  }

  async function answer(request: Request, pathname: string): Promise<Response> {
    if (started.failing) return refuse(503, 'ServiceUnavailable')
    if (!isSigned(request)) return refuse(403, 'SignatureDoesNotMatch')
    const prefix = `/${bucket}/`
    if (request.method === 'GET' && [prefix, prefix.slice(0, -1)].includes(pathname)) return list(request)
    if (!pathname.startsWith(prefix)) return refuse(404, 'NoSuchBucket')
    const key = decodeURIComponent(pathname.slice(prefix.length))
    if (request.method === 'PUT') {
      objects.set(key, await request.bytes())
      return new Response(null, { headers: { etag: '"x"' } })
    }
    if (request.method === 'DELETE') {
      objects.delete(key)
      return new Response(null, { status: 204 })
    }
    const object = objects.get(key)
    return object ? new Response(new Uint8Array(object)) : refuse(404, 'NoSuchKey')
  }

  /** ListObjectsV2, two keys a page. */
  function list(request: Request): Response {
    const { searchParams } = new URL(request.url)
    const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('start-after') ?? '']
    const keys = [...objects.keys()].toSorted().filter(key => key.startsWith(prefix) && key > after)
    const contents = keys.slice(0, 2).map(key => {
      const size = objects.get(key)?.length ?? 0
      return `<Contents><Key>${key}</Key><LastModified>2026-08-15T18:00:00.000Z</LastModified><Size>${size}</Size></Contents>`
    })
    const xml = `<?xml version="1.0"?><ListBucketResult><Name>${bucket}</Name><IsTruncated>${keys.length > 2}</IsTruncated>${contents.join('')}</ListBucketResult>`
    return new Response(xml, { headers: { 'content-type': 'application/xml' } })
  }

  return started
}

const refuse = (status: number, code: string) =>
  new Response(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`, {
    status,
    headers: { 'content-type': 'application/xml' },
  })

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/

function isSigned(request: Request): boolean {
  const [, keyId, date, region, names, signature] =
    AUTHORIZATION.exec(request.headers.get('authorization') ?? '') ?? []
  if (!date || !region || !names || keyId !== S3_CREDENTIALS.accessKeyId) return false
  const { pathname, searchParams } = new URL(request.url)
  const headers = names.split(';').map(name => `${name}:${request.headers.get(name)?.trim()}\n`)
  const query = [...searchParams].map(pair => pair.map(encodeURIComponent).join('=')).toSorted()
  const payload = request.headers.get('x-amz-content-sha256') ?? ''
  const canonical = [request.method, pathname, query.join('&'), headers.join(''), names, payload].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', request.headers.get('x-amz-date'), scope, hash('sha256', canonical)]
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest()
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    sign,
    `AWS4${S3_CREDENTIALS.secretAccessKey}`,
  )
  return sign(key, text.join('\n')).toString('hex') === signature
}
