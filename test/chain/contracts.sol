// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

/// A wallet that accepts the signatures of one key (ERC-1271).
contract OwnedWallet {
  address private immutable owner;

  constructor(address owner_) {
    owner = owner_;
  }

  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    if (signature.length != 65) return 0xffffffff;
    address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
    return signer == owner ? this.isValidSignature.selector : bytes4(0xffffffff);
  }
}

/// Creates such wallets at addresses that are known before (ERC-6492).
contract WalletFactory {
  function create(address owner, bytes32 salt) external returns (address) {
    return address(new OwnedWallet{salt: salt}(owner));
  }

  function addressOf(address owner, bytes32 salt) external view returns (address) {
    bytes memory code = abi.encodePacked(type(OwnedWallet).creationCode, abi.encode(owner));
    return address(uint160(uint256(keccak256(abi.encodePacked(bytes1(0xff), address(this), salt, keccak256(code))))));
  }
}

/// ERC-20 and ERC-721 have the same `balanceOf`.
contract Token {
  string public name = "<script>alert(1)</script>\n{\"level\":60}";
  mapping(address => uint256) public balanceOf;

  function mint(address owner, uint256 units) external {
    balanceOf[owner] += units;
  }

  function move(address from, address to, uint256 units) external {
    balanceOf[from] -= units;
    balanceOf[to] += units;
  }
}

/// Keeps a node busy, whatever it is asked.
contract Endless {
  fallback() external {
    while (true) {}
  }
}

/// Answers with more than anybody reads.
contract Flood {
  fallback() external {
    assembly {
      mstore(31, 1)
      return(0, 500000)
    }
  }
}

contract Refusing {
  fallback() external {
    revert("<b>refused</b>");
  }
}
