/** Settings of traces, with the names and meanings of OpenTelemetry's specification of environment variables. */
import { attempt } from '../../core/attempt.ts'
import { readCertificates } from './certificates.ts'
import type { EnvironmentReader } from './environment.ts'

const CERTIFICATE = 'OTEL_EXPORTER_OTLP_CERTIFICATE'

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

export type TracingConfig = NonNullable<ReturnType<typeof readTracingConfig>>

/** Null: no traces. */
export function readTracingConfig(reader: EnvironmentReader) {
  const url = readUrl(reader)
  const disabled = reader.oneOf('OTEL_SDK_DISABLED', ['false', 'true']) === 'true'
  const exporter = reader.oneOf('OTEL_TRACES_EXPORTER', ['otlp', 'none'])
  if (url === null || disabled || exporter === 'none') return null
  for (const name of ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'])
    reader.oneOf(name, ['http/json'])
  const timeoutMs = reader.integer('OTEL_EXPORTER_OTLP_TIMEOUT', 10_000, 1, 600_000)
  const { 'service.name': named, ...attributes } = readPairs(reader, 'OTEL_RESOURCE_ATTRIBUTES')
  const maxSpans = reader.integer('OTEL_BSP_MAX_QUEUE_SIZE', 2_048, 1, 1_000_000)
  const batchSpans = reader.integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', Math.min(512, maxSpans), 1, maxSpans)
  return Object.freeze({
    /** Receives spans as OTLP/HTTP with JSON. */
    url,
    /** CA certificates in PEM that https endpoints are verified with; null: those of the system. */
    ca: readCertificates(reader, CERTIFICATE, reader.file(CERTIFICATE)),
    compression: reader.oneOf('OTEL_EXPORTER_OTLP_COMPRESSION', ['none', 'gzip']),
    /** Headers of each export. May contain secrets. */
    headers: {
      ...readPairs(reader, 'OTEL_EXPORTER_OTLP_HEADERS', reader.secret),
      ...readPairs(reader, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS', reader.secret),
    },
    /** For one export, retries included. */
    timeoutMs: reader.integer('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', timeoutMs, 1, 600_000),
    serviceName: reader.text('OTEL_SERVICE_NAME') ?? named ?? 'matchday',
    /** Further attributes of the service. */
    attributes,
    sampler: reader.oneOf('OTEL_TRACES_SAMPLER', SAMPLERS),
    /** Share of the traces that the `traceidratio` samplers take: 0 to 1. */
    ratio: readRatio(reader),
    /** Spans wait in memory for the next export. Beyond `maxSpans` they are dropped. */
    queue: Object.freeze({
      delayMs: reader.integer('OTEL_BSP_SCHEDULE_DELAY', 5_000, 1, 600_000),
      maxSpans,
      batchSpans,
    }),
    /** Names of OpenTelemetry's variables that are set and have no effect. */
    unsupported: readUnsupported(reader),
  })
}

/** Known to the reader from here on: settings of OpenTelemetry's logs differ by two letters from those of traces. */
function readUnsupported(reader: EnvironmentReader): readonly string[] {
  const names = reader.unreadNames('OTEL_')
  for (const name of names) if (name.startsWith('OTEL_BLRP_')) reader.text(name)
  return names
}

/** The endpoint of traces as it is, or that of all signals with the path of traces. */
function readUrl(reader: EnvironmentReader): string | null {
  const [shared, own] = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const
  const [base, exact] = [reader.text(shared), reader.text(own)]
  const text = exact ?? base
  if (text === undefined) return null
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    reader.refuse(exact === undefined ? shared : own, 'must be an http or https URL without credentials')
  else if (exact === undefined) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url?.href ?? text
}

/** `name=value,name=value`, with the values percent-encoded, as in the header `Baggage` of W3C. */
function readPairs(
  reader: EnvironmentReader,
  name: string,
  read: EnvironmentReader['text'] = reader.text,
): Record<string, string> {
  const pairs: [string, string][] = []
  for (const part of (read(name) ?? '').split(',')) {
    if (part.trim() === '') continue
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? []
    const decoded = value === undefined ? undefined : attempt(() => decodeURIComponent(value))
    if (key === undefined || decoded === undefined) {
      reader.refuse(name, 'must be pairs of the form name=value, separated by commas, in percent-encoding')
      return {}
    }
    pairs.push([key, decoded])
  }
  return Object.fromEntries(pairs)
}

function readRatio(reader: EnvironmentReader): number {
  const text = reader.text('OTEL_TRACES_SAMPLER_ARG')
  if (text === undefined) return 1
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return ratio
  reader.refuse('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1')
  return 1
}
