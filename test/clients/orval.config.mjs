const decoders = name => ({
  input: `./generated/${name}.json`,
  output: { target: `./generated/decoders/${name}.ts`, client: 'zod', mode: 'single' },
})

export default {
  matchday: {
    input: './generated/openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', mode: 'single' },
  },
  closed: decoders('openapi'),
  open: decoders('openapi-open'),
}
