/**
 * A process that sends campaigns, three fans at a time: `bun campaign-process.ts DATABASE_URL NOW [WRITE before|after]`. It kills itself
 * before the commit of the unit of work with this number, or after it.
 */
import type { Database } from '../../../../db/index.ts'
import { realSources } from '../../../../src/core/sources.ts'
import { runCampaigns } from '../../../../src/operate/admin/campaigns/run.ts'
import { openPatiently, POOL_SIZE } from '../../../support/patience.ts'

const [url = '', now, last, when] = process.argv.slice(2)
const sources = { ...realSources, now: () => new Date(Number(now)) }
const opened = openPatiently(url, sources, { postgres: { poolSize: POOL_SIZE } })

let writes = 0
const write: Database['write'] = async work => {
  const isLast = ++writes === Number(last)
  const die = (at: string) => {
    if (isLast && when === at) process.kill(process.pid, 'SIGKILL')
  }
  const result = await opened.write(async tx => {
    const value = await work(tx)
    die('before')
    return value
  })
  die('after')
  return result
}

await runCampaigns({ db: { ...opened, write } }, { size: 3 })
await opened.close()
