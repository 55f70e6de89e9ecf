import { row, type Scenario } from '../scenario.ts'

export const startUp: Scenario = {
  name: 'start-up',
  summary: 'From the start of the process to the first 200 of GET /readyz, on a migrated database',
  async run({ options, subjects }) {
    const times: number[] = []
    for (let round = 0; round < Math.max(options.rounds, 3); round++) {
      const running = await subjects.matchday.start(options.fans)
      times.push(running.startMs)
      await running.stop()
    }
    return { rows: [row('matchday', 'ms', times)], notes: [] }
  },
}
