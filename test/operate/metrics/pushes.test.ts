/** Metrics of pushes and campaigns. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createPushDispatcher } from '../../../src/delivery/push/dispatcher.ts'
import { enqueuePushes, type Push } from '../../../src/delivery/push/enqueue.ts'
import { runCampaigns } from '../../../src/operate/admin/campaigns/run.ts'
import {
  deliveriesOf,
  knownFan,
  newSubscription,
  pushOf,
  putDevice,
  servePushes,
} from '../../delivery/push/push-world.ts'
import { expectStatus } from '../../play/packs/packs-world.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { onEachEngine } from '../../support/world.ts'
import { addCampaign, fansIn, run } from '../admin/campaigns/campaigns-world.ts'
import { type Scrape, scrape } from './scrape.ts'

const MINUTE = 60_000

onEachEngine(
  'Metrics of pushes',
  world => {
    let service: ReturnType<typeof servePushes>
    beforeAll(() => {
      service = servePushes()
    })
    afterAll(() => service.stop())

    /** Sends until it is done. */
    async function sendUntil(what: string, isDone: () => Promise<boolean>) {
      const dispatcher = createPushDispatcher({ ...world.deps, giveWay: () => Promise.resolve() })
      await waitUntil(what, async () => {
        world.clock.advance(2_000)
        await dispatcher.poll()
        return isDone()
      })
      await dispatcher.stop()
    }
    const queue = (...pushes: Push[]) => world.db.write(tx => enqueuePushes(tx, pushes))
    const freshScrape = (): Promise<Scrape> => {
      world.clock.advance(MINUTE)
      return waitUntil('the backlogs are read', async () => {
        const scraped = await scrape(world)
        return scraped.value('matchday_backlog_read_success') === 1 && scraped
      })
    }
    async function subscribed(path: string) {
      const fan = await knownFan(world)
      const { subscription } = newSubscription(`${service.url}${path}`)
      expectStatus(201, await putDevice(fan, 'browser', { kind: 'webpush', subscription }))
      return fan.id
    }
    const of = (name: string) => `${name}{service="webpush"}`
    const backlog = async () => {
      const { value } = await freshScrape()
      return [of('matchday_push_pending_deliveries'), of('matchday_push_oldest_pending_age_seconds')].map(
        value,
      )
    }
    const countOf = async (outcome: string) =>
      (await scrape(world)).value(`matchday_pushes_total{service="webpush",outcome="${outcome}"}`)

    test('pushes that are due are counted until they are sent, with the age of the oldest', async () => {
      expect(await backlog()).toEqual([0, 0])
      const id = await subscribed('due')
      const later = new Date(world.clock.ms + 60 * MINUTE)
      await queue(pushOf(id))
      await queue(pushOf(id), pushOf(id, { notBefore: later }))
      const [pending, age] = await backlog()
      expect(pending).toBe(2)
      expect(age).toBeGreaterThanOrEqual(60)
      await sendUntil('both are sent', async () => {
        const rows = await deliveriesOf(world, id)
        return rows.filter(({ state }) => state === 'sent').length === 2
      })
      expect(await backlog()).toEqual([0, 0])
      await world.db.write(tx => tx.delete(world.db.tables.pushDeliveries))
    })

    test.each([
      ['sent', 201],
      ['gone', 410],
      ['pending', 503],
      ['wrong', 403],
    ])('attempts are counted by what the service answers: %s', async (outcome, status) => {
      const id = await subscribed(outcome)
      service.answers.set(`/${outcome}`, () => new Response(null, { status }))
      const before = await countOf(outcome)
      await queue(pushOf(id))
      await sendUntil('the attempt is counted', async () => (await countOf(outcome)) === before + 1)
      await world.db.write(tx => tx.delete(world.db.tables.pushDeliveries))
    })

    test('a push that is not sent to a fan counts as skipped', async () => {
      const id = await subscribed('off')
      const before = await countOf('skipped')
      await queue(pushOf(id, { category: 'marketing' }))
      await sendUntil('it is counted', async () => (await countOf('skipped')) === before + 1)
    })

    test('fans who wait for a campaign are counted until they have got it, and not while it is stopped', async () => {
      const names = [
        ...['scheduled', 'running', 'stopped'].map(state => `matchday_campaigns{state="${state}"}`),
        'matchday_campaign_fans_due',
      ]
      const values = async () => {
        const { value } = await freshScrape()
        return [...names.map(value), value('matchday_campaign_oldest_due_age_seconds') >= 60]
      }
      expect(await values()).toEqual([0, 0, 0, 0, false])
      await fansIn(world, 'CH', 4)
      const campaign = await addCampaign(world, 'CH')
      await campaign.start()
      expect(await values()).toEqual([1, 0, 0, 0, true])
      await runCampaignOnce()
      expect(await values()).toEqual([0, 1, 0, 4, true])
      await campaign.stop()
      expect(await values()).toEqual([0, 0, 1, 0, false])
      await campaign.start()
      await run(world)
      expect(await values()).toEqual([0, 0, 0, 0, false])
    })

    /** Fixes its fans. */
    const runCampaignOnce = async () => {
      let runs = 0
      await runCampaigns({ db: world.db }, { stopping: () => runs++ > 0 })
    }
  },
  { env: { METRICS_PORT: '0' } },
)
