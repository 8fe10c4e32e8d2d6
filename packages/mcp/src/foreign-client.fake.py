"""A client of Python's SDK: connects to an address in a mode, lists the tools and calls one."""

import asyncio
import json
import sys

from mcp.client.client import Client


async def main() -> None:
    url, mode = sys.argv[1:3]
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        result = await client.call_tool("echo", {"text": "from Python"})
        print(json.dumps([[tool.name for tool in tools.tools], result.content[0].text]))


asyncio.run(main())
