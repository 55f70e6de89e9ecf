/**
 * Keeps the event loop of a test process waiting, and gives each test file its timeout. Bun forgets what a preload passes to `setDefaultTimeout` after the first file of a
 * process (https://github.com/oven-sh/bun/issues/43787), and ignores a timeout in bunfig.toml.
 */
import { readFileSync } from 'node:fs'
import { plugin } from 'bun'

/** Only a failing test waits for this time. Milliseconds. */
const TIMEOUT_MS = 600_000
/** Timeout of tests that take minutes, and of tests with random failures of statements. */
const LONG_TIMEOUT_MS = 1_200_000

/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1

// A test that waits for unreferenced work alone (a worker, a timer, a child) makes the loop of `bun test` turn at full
// speed. One referenced timer lets it sleep.
setInterval(() => {}, LONGEST_MS)

const timeoutOf = (path: string) =>
  path.includes('/test/soak/') || process.env.TEST_SERIALIZATION_FAILURES ? LONG_TIMEOUT_MS : TIMEOUT_MS

plugin({
  name: 'timeouts of test files',
  setup(build) {
    build.onLoad({ filter: /\.test\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      // On the first line: the others keep their numbers.
      contents: `import { setDefaultTimeout as setTimeoutOfFile } from 'bun:test'; setTimeoutOfFile(${timeoutOf(path)}); ${readFileSync(path, 'utf8')}`,
    }))
  },
})
