/** Which proxies are trusted for the address of a client. */
import { describe, expect, test } from 'bun:test'
import { parseConfig } from '../../../src/platform/config/config.ts'
import { makeDevelopmentSecrets } from '../../../src/platform/config/development-secrets.ts'
import { addressGroup, clientAddress } from '../../../src/platform/http/edge/client-address.ts'

const secrets = await makeDevelopmentSecrets()
const PEER = '10.0.0.9'

function addressOf(proxies: string, headers: Record<string, string>, peer = PEER, header?: string): string {
  const env = { ...secrets, TRUSTED_PROXIES: proxies, TRUSTED_PROXY_HEADER: header }
  return clientAddress(new Headers(headers), peer, parseConfig(env).network)
}
const via = (proxies: string, forwardedFor: string, peer = PEER) =>
  addressOf(proxies, { 'x-forwarded-for': forwardedFor }, peer)

describe('the address of a client', () => {
  test('is the connection’s own by default, whatever the headers say', () => {
    for (const proxies of ['', '0']) {
      const headers = { 'x-forwarded-for': '1.1.1.1', forwarded: 'for=1.1.1.1', 'x-real-ip': '1.1.1.1' }
      expect(addressOf(proxies, headers)).toBe(PEER)
    }
  })

  test('is read from the right, for the number of trusted hops, so that values of the client are ignored', () => {
    expect(via('1', '6.6.6.6, 1.1.1.1')).toBe('1.1.1.1')
    expect(via('2', '6.6.6.6, 1.1.1.1, 10.0.0.8')).toBe('1.1.1.1')
    expect(via('2', '1.1.1.1')).toBe('1.1.1.1')
    expect(addressOf('1', {})).toBe(PEER)
  })

  test('with trusted networks, is the first address from the right that is not a proxy', () => {
    expect(via('10.0.0.0/8', '6.6.6.6, 1.1.1.1, 10.0.0.8')).toBe('1.1.1.1')
    expect(via('10.0.0.0/8', '6.6.6.6', '9.9.9.9')).toBe('9.9.9.9')
    expect(via('10.0.0.9', '1.1.1.1, 10.0.0.8')).toBe('10.0.0.8')
    expect(via('10.0.0.0/8, 2001:db8::/32', '6.6.6.6, 2001:DB8:1::5, 10.0.0.1')).toBe('6.6.6.6')
    expect(via('10.0.0.0/8', '10.0.0.7, 10.0.0.8')).toBe('10.0.0.7')
  })

  test('is the last valid address if an entry is not an address', () => {
    for (const nonsense of [
      'unknown',
      '',
      '_hidden',
      '1.1.1.1.1',
      '<script>',
      '999.1.1.1',
      '1.1.1.1 2.2.2.2',
    ])
      expect([nonsense, via('2', `6.6.6.6, ${nonsense}, 10.0.0.8`)]).toEqual([nonsense, '10.0.0.8'])
  })

  test('is normalized: without ports and brackets, and IPv4-mapped IPv6 addresses as IPv4', () => {
    expect(via('1', '1.1.1.1:5000')).toBe('1.1.1.1')
    expect(via('1', '[2001:db8::1]:5000')).toBe('2001:db8::1')
    expect(via('1', '::ffff:1.1.1.1')).toBe('1.1.1.1')
    expect(via('10.0.0.0/8', '1.1.1.1', '::ffff:10.0.0.9')).toBe('1.1.1.1')
  })

  test('is read from one header only: the other passes through a proxy as the client wrote it', () => {
    const both = { 'x-forwarded-for': '1.1.1.1', forwarded: 'for=6.6.6.6' }
    expect(addressOf('1', both)).toBe('1.1.1.1')
    expect(addressOf('1', both, PEER, 'forwarded')).toBe('6.6.6.6')
  })

  test('is read from Forwarded as RFC 7239 writes it', () => {
    const read = (forwarded: string) => addressOf('1', { forwarded }, PEER, 'forwarded')
    expect(read('for=6.6.6.6, For="[2001:db8::1]:4711";proto=https;by=10.0.0.9')).toBe('2001:db8::1')
    expect(read('proto=https;for=1.1.1.1')).toBe('1.1.1.1')
    expect(read('proto=https')).toBe(PEER)
    expect(read('for=unknown')).toBe(PEER)
  })

  test('of IPv6 is counted by its /64, and of IPv4 whole', () => {
    expect(addressGroup('1.1.1.1')).toBe('1.1.1.1')
    expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
    expect(addressGroup('2001:0db8::1')).toBe('2001:db8:0:0::/64')
    expect(addressGroup('::1')).toBe('0:0:0:0::/64')
    expect(addressGroup('2001:db8:1:2::')).toBe('2001:db8:1:2::/64')
  })
})
