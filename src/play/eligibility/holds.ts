import { DomainError } from '../../core/problems.ts'
import { HoldsEntry } from '../wallets/entry-schema.ts'
import { walletProblems } from '../wallets/problems.ts'
import { Holds } from '../wallets/schema.ts'
import { readHolders } from '../wallets/wallets.ts'
import { defineRequirement } from './requirement.ts'

/** Units of a token that the linked wallets of the fan hold together. The chain is asked outside of a unit of work. */
export const holds = defineRequirement({
  member: 'holds',
  describe: { entry: HoldsEntry, shown: Holds },
  normalize: ({ chainId, contract, minimum }) => ({ chainId, contract: contract.toLowerCase(), minimum }),
  problems: [walletProblems.not_a_holder, walletProblems.chain_unavailable],
  async check(reader, { userId }, asked) {
    const chains = reader.spine.eligibility.chains
    const holders = new Map<number, string[]>()
    for (const { chainId } of asked.map(({ stated }) => stated))
      if (!holders.has(chainId)) holders.set(chainId, await readHolders(reader, userId, chainId))
    return asked.map(({ stated }) => {
      const { chainId, contract, minimum } = stated
      const owners = holders.get(chainId) ?? []
      const balances = chains?.knownBalances(chainId, contract, owners)
      if (owners.length > 0 && !balances)
        return new DomainError(walletProblems.chain_unavailable, {
          retryAfter: 1,
          prepare: chains && (() => chains.balancesOf(chainId, contract, owners)),
        })
      const held = owners.reduce((sum, address) => sum + (balances?.get(address) ?? 0n), 0n)
      return held < BigInt(minimum)
        ? new DomainError(walletProblems.not_a_holder, { ...stated, held: String(held) })
        : null
    })
  },
})
