/** Preloaded into a server: prints each module of the libraries for wallets as it is loaded. */
import { plugin } from 'bun'

plugin({
  name: 'report-loads',
  setup(build) {
    build.onLoad({ filter: /node_modules\/(viem|ox|@noble|abitype)\// }, async ({ path }) => {
      process.stdout.write(`loaded ${path}\n`)
      return { contents: await Bun.file(path).text(), loader: 'js' }
    })
  },
})
