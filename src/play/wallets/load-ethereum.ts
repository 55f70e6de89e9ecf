/** Loads `viem`, which takes a tenth of a second and 30 MB: most servers never need it. */
export const loadEthereum = () => import('./ethereum.ts')
