import { isInternalHost } from '../../core/ssrf-guard.ts'
import type { EnvironmentReader } from './environment.ts'

/** Where uploaded pictures are stored. */
export type UploadsConfig =
  | { kind: 'directory'; path: string }
  | {
      kind: 's3'
      bucket: string
      /** Before the name of each object; empty or ending with a slash. */
      prefix: string
      /** Null: that of AWS. */
      endpoint: string | null
      region: string | null
      accessKeyId: string
      secretAccessKey: string
    }

const NAME = 'UPLOADS'
const IN_DEVELOPMENT = 'data/uploads'
/** Bucket names of AWS, and what other services allow beyond them. */
const S3 = /^s3:\/\/([a-zA-Z0-9][\w.-]{1,62})((?:\/[\w.-]{1,100}){0,8})\/?$/

/** Null: pictures cannot be uploaded. */
export function readUploads(reader: EnvironmentReader): Readonly<UploadsConfig> | null {
  const text = reader.text(NAME) ?? (reader.production ? undefined : IN_DEVELOPMENT)
  const endpoint = reader.text('UPLOADS_ENDPOINT') ?? null
  const region = reader.text('UPLOADS_REGION') ?? null
  const accessKeyId = reader.secret('UPLOADS_ACCESS_KEY_ID')
  const secretAccessKey = reader.secret('UPLOADS_SECRET_ACCESS_KEY')
  if (text === undefined) return null
  if (!/^[a-z0-9]+:/i.test(text)) return Object.freeze({ kind: 'directory', path: text })
  const [, bucket, folder] = S3.exec(text) ?? []
  if (bucket === undefined || folder === undefined) {
    reader.refuse(NAME, 'must be a directory, or s3://BUCKET, optionally with a path')
    return null
  }
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    reader.refuse(NAME, 'is s3://: set UPLOADS_ACCESS_KEY_ID and UPLOADS_SECRET_ACCESS_KEY')
    return null
  }
  if (endpoint !== null) refuseEndpoint(reader, endpoint)
  const prefix = folder === '' ? '' : `${folder.slice(1)}/`
  return Object.freeze({ kind: 's3', bucket, prefix, endpoint, region, accessKeyId, secretAccessKey })
}

function refuseEndpoint(reader: EnvironmentReader, endpoint: string): void {
  const url = URL.parse(endpoint)
  const isHttp = url !== null && /^https?:$/.test(url.protocol)
  if (!isHttp || url.username || url.password || url.search || url.hash)
    reader.refuse('UPLOADS_ENDPOINT', 'must be an http or https URL without credentials, query and fragment')
  else if (reader.production && url.protocol === 'http:' && !isInternalHost(url.hostname))
    reader.refuse('UPLOADS_ENDPOINT', 'must be https in production, except for a loopback or private address')
}
