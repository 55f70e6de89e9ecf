/** Swagger UI as a visitor uses it, named by what is on the screen. */
import type { Locator, Page } from 'playwright-core'

export interface Executed {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: expectations read bodies of every shape
  body: any
}

export async function openDocs(page: Page, origin: string): Promise<void> {
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

/** What the dialog holds for one way to authorize. */
export const way = (dialog: Locator, name: string) =>
  dialog.locator('.auth-container').filter({ has: dialog.page().getByRole('heading', { name }) })

/** Presses Authorize for signIn and picks a fan in the window that opens; answers once that window is gone. */
export async function signInAs(
  dialog: Locator,
  fan: string,
  look: (provider: Page) => Promise<unknown>,
): Promise<void> {
  const signIn = way(dialog, 'signIn')
  const [provider] = await Promise.all([
    dialog.page().waitForEvent('popup'),
    signIn.getByRole('button', { name: 'Apply given OAuth2 credentials' }).click(),
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

/** Opens the operation when it is folded, and presses Execute: its example is the body. */
export async function execute(page: Page, operationId: string): Promise<Executed> {
  const block = operationBlock(page, operationId)
  const button = block.getByRole('button', { name: 'Execute' })
  if (!(await button.isVisible())) await block.locator('.opblock-summary-control').click()
  const path = await block.locator('.opblock-summary-path').getAttribute('data-path')
  const [response] = await Promise.all([
    page.waitForResponse(answer => new URL(answer.url()).pathname === path),
    button.click(),
  ])
  const shown = block.locator('.live-responses-table .response-col_status')
  await shown.filter({ hasText: String(response.status()) }).waitFor()
  return { status: response.status(), body: await response.json() }
}
