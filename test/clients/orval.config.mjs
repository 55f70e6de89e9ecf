export default {
  matchday: {
    input: './generated/openapi.json',
    output: { target: './generated/orval.ts', client: 'fetch', mode: 'single' },
  },
}
