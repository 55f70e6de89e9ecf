/** What browsers see when a page, or the form of a page, is refused. */
import { expect, test } from 'bun:test'
import { onEachEngine } from '../../support/world.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

onEachEngine('A refused form', world => {
  const sendLarge = (path: string, headers: Record<string, string>) =>
    world.app.handle(
      new Request(`http://localhost${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: `order=1&email=${'a'.repeat(world.config.maxBodyBytes)}`,
      }),
    )

  test.each([
    ['en', 'ltr', 'What you sent is too large'],
    ['pt', 'ltr', 'O que enviou é demasiado grande'],
    ['pt-BR', 'ltr', 'O que você enviou é grande demais'],
    ['ar', 'rtl', 'ما أرسلته كبير جدًا'],
  ])('is a page in %s for a browser', async (lang, dir, words) => {
    for (const path of ['/withdraw', '/withdraw/confirm']) {
      const response = await sendLarge(path, { accept: BROWSER, 'accept-language': lang })
      const html = await response.text()
      expect([response.status, response.headers.get('content-type')]).toEqual([
        413,
        'text/html; charset=utf-8',
      ])
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(html).toContain(words)
      expect(html).toContain(dir === 'rtl' ? 'dir="rtl"' : `<html lang="${lang}">`)
    }
  })

  test.each([
    ['a program sends it', '/withdraw', '*/*'],
    ['it is of the API', '/api/user/profile', BROWSER],
  ])('is a problem document where %s', async (_title, path, accept) => {
    const response = await sendLarge(path, { accept, 'content-type': 'application/json' })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
  })

  test('is a page if the second step is opened again, with the methods that it has', async () => {
    const request = new Request('http://localhost/withdraw/confirm', { headers: { accept: BROWSER } })
    const response = await world.app.handle(request)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toContain('POST')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })
})
