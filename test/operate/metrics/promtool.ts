/** Prometheus' own checks, by the tool of Debian's package `prometheus`. */
import { test } from 'bun:test'

const binary = Bun.which('promtool')

/** A test that needs promtool. Where it is not installed, the title says that the test is skipped. */
export const testWithPromtool = (title: string, run: () => Promise<void>) =>
  test.skipIf(binary === null)(binary ? title : `${title} (skipped: promtool is not installed)`, run)

/** The complaints of promtool; empty when it accepts the input. */
export async function promtool(args: string[], input = ''): Promise<string> {
  const child = Bun.spawn([binary ?? 'promtool', ...args], {
    stdin: new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return code === 0 ? errors : `${out}${errors}` || `promtool left with ${code}`
}
