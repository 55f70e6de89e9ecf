/** Settings of traces, which have the names of OpenTelemetry's specification. */
import { expect, test } from 'bun:test'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'

const secrets = await makeDevelopmentSecrets()
const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT'
const COLLECTOR = { [ENDPOINT]: 'http://collector:4318' }
const read = (env: Record<string, string>) => parseConfig({ ...secrets, ...env }).tracing

test.each([
  ['no endpoint', {}],
  ['no endpoint, whatever else is set', { OTEL_SERVICE_NAME: 'api', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }],
  ['OTEL_SDK_DISABLED', { ...COLLECTOR, OTEL_SDK_DISABLED: 'true' }],
  ['OTEL_TRACES_EXPORTER=none', { ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
])('nothing is traced: %s', (_, env) => {
  expect(read(env)).toBeNull()
})

test('the defaults are those of the specification', () => {
  expect(read(COLLECTOR)).toEqual({
    url: 'http://collector:4318/v1/traces',
    ca: null,
    compression: 'none',
    headers: {},
    timeoutMs: 10_000,
    serviceName: 'matchday',
    attributes: {},
    sampler: 'parentbased_always_on',
    ratio: 1,
    queue: { delayMs: 5_000, maxSpans: 2_048, batchSpans: 512 },
    unsupported: [],
  })
})

test.each([
  ['http://collector:4318/', undefined, 'http://collector:4318/v1/traces'],
  ['https://otlp.example.com/otlp', undefined, 'https://otlp.example.com/otlp/v1/traces'],
  ['https://otlp.example.com/otlp', 'http://agent:4318/own', 'http://agent:4318/own'],
  [undefined, 'http://agent:4318', 'http://agent:4318/'],
])('the path of traces belongs to the shared endpoint (%s), not to their own (%s)', (shared, own, url) => {
  const env = {
    ...(shared && { [ENDPOINT]: shared }),
    ...(own && { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own }),
  }
  expect(read(env)?.url).toBe(url)
})

test('the settings of traces precede those of all signals', () => {
  const env = {
    ...{ OTEL_EXPORTER_OTLP_TIMEOUT: '100', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '200' },
    ...{ OTEL_EXPORTER_OTLP_HEADERS: 'a=1, b=2 ,', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=%33' },
    ...{ OTEL_RESOURCE_ATTRIBUTES: 'service.name=shared,host=h', OTEL_SERVICE_NAME: 'own' },
  }
  expect(read({ ...COLLECTOR, ...env })).toMatchObject({
    timeoutMs: 200,
    headers: { a: '1', b: '3' },
    serviceName: 'own',
    attributes: { host: 'h' },
  })
})

test.each([
  [ENDPOINT, 'collector:4318', 'must be an http or https URL without credentials'],
  [ENDPOINT, 'http://user:tell-tale@collector:4318', 'must be an http or https URL without credentials'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of http/json'],
  ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/protobuf', 'must be one of http/json'],
  ['OTEL_EXPORTER_OTLP_COMPRESSION', 'br', 'must be one of none, gzip'],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/none/tell-tale.pem', 'names a file that cannot be read (ENOENT)'],
  ['OTEL_EXPORTER_OTLP_CERTIFICATE', import.meta.path, 'must be certificates in PEM'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'tell-tale', 'must be pairs of the form name=value'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=tell-tale%zz', 'must be pairs of the form name=value'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of parentbased_always_on'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half', 'must be a number from 0 to 1'],
  ['OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '4096', 'must be a whole number from 1 to 2048'],
  ['OTEL_TRACES_SAMPLR', 'always_on', 'is not a setting: did you mean OTEL_TRACES_SAMPLER?'],
])('refused: %s=%s', (name, value, why) => {
  const reading = () => read({ ...COLLECTOR, [name]: value })
  expect(reading).toThrow(`${name} ${why}`)
  expect(reading).not.toThrow('tell-tale')
})

test('a misspelt endpoint is refused, since without one nothing would be traced', () => {
  expect(() => read({ OTEL_EXPORTER_OTLP_ENDPONT: 'http://collector:4318' })).toThrow(
    `did you mean ${ENDPOINT}?`,
  )
})

test('other variables of OpenTelemetry are named, not refused', () => {
  const others = { OTEL_PROPAGATORS: 'b3', OTEL_BLRP_SCHEDULE_DELAY: '1000', OTEL_METRICS_EXPORTER: 'none' }
  expect(read({ ...COLLECTOR, ...others })?.unsupported).toEqual(Object.keys(others))
})
