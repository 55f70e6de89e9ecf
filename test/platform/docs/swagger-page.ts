/** Swagger UI as a visitor uses it, named by what is on the screen. */
import type { Locator, Page } from 'playwright-core'
import type { Database } from '../../../db/index.ts'
import { seedDatabase } from '../../../scripts/seed/seed.ts'
import { realSources } from '../../../src/core/sources.ts'
import { options } from '../../scripts/seed/sixty-fans.ts'
import { sqliteEngine } from '../../support/engines.ts'
import { type RunningProvider, startApi, startProvider } from '../../support/processes.ts'

export interface Site {
  origin: string
  provider: RunningProvider
  db: Database
  stop(): Promise<void>
}

/** The API with the seeded catalogue and five seeded fans, and a provider of forty. */
export async function startSite(): Promise<Site> {
  const provider = await startProvider({ fans: 40 })
  const temporary = await sqliteEngine.open(realSources)
  const { issuer } = provider
  const identity = { name: 'mock-idp', issuer }
  await seedDatabase(temporary.db, { ...options, seed: 1, fans: 5, provider: identity })
  const api = await startApi({ DATABASE_URL: temporary.url ?? '', IDP_ISSUER: issuer })
  return {
    origin: api.origin.replace('127.0.0.1', 'localhost'),
    provider,
    db: temporary.db,
    async stop() {
      await api.stop()
      await provider.stop()
      await temporary.remove()
    },
  }
}

export interface Executed {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: expectations read bodies of every shape
  body: any
}

/** Those that tests open: of each method, with each way to authenticate, the longest ones too. */
const FEW = [
  ...['readProfile', 'updateProfile', 'syncIdentity', 'readOnboarding', 'completeOnboarding', 'readPoints'],
  ...[
    'readDashboard',
    'claimReward',
    'redeemReward',
    'completePurchase',
    'readLeaderboard',
    'refreshNativeToken',
  ],
  ...['lookUpRedemption', 'useRedemption', 'listTeams', 'getReadiness'],
]

interface Operation {
  operationId?: string
  tags?: string[]
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: object
}

/** The number of operations and webhooks, and the operation of each section that takes the most text. */
export async function readDeclared(origin: string): Promise<{ count: number; longest: string[] }> {
  // Guarantee: the document of the API.
  const { paths, webhooks } = (await (await fetch(`${origin}/docs/json`)).json()) as Document
  const operations = Object.values(paths).flatMap(methods => Object.values(methods))
  const lengthOf = (operation: Operation) => JSON.stringify(operation).length
  const longest = [...Map.groupBy(operations, ({ tags }) => tags?.[0]).values()].flatMap(
    section => section.toSorted((a, b) => lengthOf(b) - lengthOf(a))[0]?.operationId ?? [],
  )
  return { count: operations.length + Object.keys(webhooks).length, longest }
}

/** Swagger UI draws all that it shows after each click, so that a page of few operations takes a fraction of the time. */
const serveFew = (page: Page) =>
  page.route('**/docs/json', async route => {
    const response = await route.fetch()
    // Guarantee: the document of the API.
    const document = (await response.json()) as Document
    const kept = Object.entries(document.paths).flatMap(([path, methods]) => {
      const few = Object.entries(methods).filter(([, { operationId = '' }]) => FEW.includes(operationId))
      return few.length > 0 ? [[path, Object.fromEntries(few)]] : []
    })
    await route.fulfill({ response, json: { ...document, paths: Object.fromEntries(kept), webhooks: {} } })
  })

/** `whole`: with every operation, not only those that tests open. */
export async function openDocs(page: Page, origin: string, { whole = false } = {}): Promise<void> {
  await page.unroute('**/docs/json')
  if (!whole) await serveFew(page)
  await page.goto(`${origin}/docs`)
  await page.locator('.opblock').first().waitFor()
}

/** The dialog behind Authorize. */
export async function openAuthorize(page: Page): Promise<Locator> {
  await page.locator('.scheme-container').getByRole('button', { name: 'Authorize' }).click()
  const dialog = page.locator('.modal-ux')
  await dialog.waitFor()
  return dialog
}

/** The part of the dialog for one way to authorize. Headings end with the type, such as `(http, Bearer)`. */
export const way = (dialog: Locator, name: string) =>
  dialog
    .locator('.auth-container')
    .filter({ has: dialog.page().getByRole('heading', { name: new RegExp(`^${name}\\b`) }) })

/** Pastes a credential into one way to authorize, in place of another. */
export async function paste(page: Page, name: string, credential: string): Promise<void> {
  const dialog = await openAuthorize(page)
  const container = way(dialog, name)
  if (await container.getByText('Logout').isVisible()) await container.getByText('Logout').click()
  await container.getByRole('textbox').fill(credential)
  await container.getByRole('button', { name: 'Authorize' }).click()
  await container.getByText('Logout').waitFor()
  await closeDialog(dialog)
}

/** Presses Authorize for signIn and picks a fan in the window that opens; answers once that window is gone. */
export async function signInAs(
  dialog: Locator,
  fan: string,
  look: (provider: Page) => Promise<unknown>,
): Promise<void> {
  const signIn = way(dialog, 'signIn')
  const [provider] = await Promise.all([
    dialog.page().waitForEvent('popup'),
    signIn.getByRole('button', { name: 'Authorize' }).click(),
  ])
  const choice = provider.getByRole('button', { name: fan }).first()
  await choice.waitFor()
  await look(provider)
  await Promise.all([provider.waitForEvent('close'), choice.click()])
  await signIn.getByText('Logout').waitFor()
}

export async function closeDialog(dialog: Locator): Promise<void> {
  await dialog.locator('.close-modal').click()
  await dialog.waitFor({ state: 'detached' })
}

export const operationBlock = (page: Page, operationId: string) =>
  page.locator(`.opblock[id$="-${operationId}"]`)

/** Opens the operation when it is folded, fills its parameters in, and presses Execute: its example is the body. */
export async function execute(
  page: Page,
  operationId: string,
  parameters: Record<string, string> = {},
): Promise<Executed> {
  const block = operationBlock(page, operationId)
  const button = block.getByRole('button', { name: 'Execute' })
  if (!(await button.isVisible())) await block.locator('.opblock-summary-control').click()
  const path = (await block.locator('.opblock-summary-path').getAttribute('data-path')) ?? ''
  const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`)
  for (const [name, value] of Object.entries(parameters)) await block.getByPlaceholder(name).fill(value)
  const [response] = await Promise.all([
    page.waitForResponse(answer => pattern.test(new URL(answer.url()).pathname)),
    button.click(),
  ])
  const shown = block.locator('.live-responses-table .response-col_status')
  await shown.filter({ hasText: String(response.status()) }).waitFor()
  return { status: response.status(), body: await response.json() }
}
