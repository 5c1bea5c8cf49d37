-- client.lua - Neovim as people use it, with the configuration of docs/editors.md: what is seen in the buffer. Prints TAP to $TAP.
local tap = io.open(vim.env.TAP, "w")
local count, failed = 0, false
local function report(text, good, detail)
  count = count + 1
  failed = failed or not good
  tap:write((good and "ok " or "not ok ") .. count .. " - " .. text .. "\n")
  if not good then
    tap:write("# " .. tostring(detail):gsub("\n", "\n# "):sub(1, 1500) .. "\n")
  end
  tap:flush()
end

if not vim.lsp.start then -- Neovim 0.8 has it
  vim.lsp.start = function(config)
    local id = vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, id)
    return id
  end
end
vim.filetype.add({ extension = { cu = "cuda", cl = "opencl" } })
vim.opt.runtimepath:append(vim.env.DIR)
dofile(vim.env.SNIPPET)

local function ours()
  for _, c in pairs(vim.lsp.buf_get_clients(0)) do
    if c.name == "warpwise" and c.initialized then return c end
  end
end

-- The lens as it stands in the buffer: virtual text of the client's namespace.
local function lens()
  local words = {}
  local space = vim.api.nvim_get_namespaces()["vim_lsp_codelens:" .. ours().id]
  if not space then return "" end
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
    for _, chunk in ipairs(mark[4].virt_text or {}) do words[#words + 1] = chunk[1] end
  end
  return table.concat(words, "")
end

local function await(what, ms)
  return vim.wait(ms or 30000, function()
    local ok, got = pcall(what)
    return ok and got
  end, 20)
end

vim.cmd("edit " .. vim.env.DIR .. "/row.cu")
report("the server starts and is initialized", await(function() return ours() ~= nil end), "no client")
vim.lsp.codelens.refresh()
await(function() return lens():find("bound by") end)
local first = lens()
report("a lens with time, share, bound, GPU and launch", first:find("µs") and first:find("%% of roofline") and first:find("bound by L1") and first:find("H200") and first:find("grid 4096 block 256"), first)

await(function() return #vim.diagnostic.get(0) > 0 end)
local d = vim.diagnostic.get(0)[1] or {}
report("a finding as information at its line", d.lnum == 8 and d.severity == vim.diagnostic.severity.INFO and d.source == "warpwise" and tostring(d.message):find("32 sectors"), vim.inspect(d))

vim.api.nvim_win_set_cursor(0, { 4, 30 })
vim.lsp.buf.hover()
local float
await(function()
  for _, w in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(w).relative ~= "" then float = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false), "\n") end
  end
  return float ~= nil
end, 10000)
report("the report in the hover's window", float and float:find("| time |", 1, true) and float:find("What to change"), float)

-- An edit inside the kernel: a quarter of the columns, much less time.
local function time() return tonumber(lens():match("([%d.]+) µs")) or 0 end
local before = time()
local text = vim.api.nvim_buf_get_lines(0, 7, 8, false)[1]
vim.api.nvim_buf_set_lines(0, 7, 8, false, { (text:gsub("c < cols", "c < cols / 4")) })
vim.lsp.codelens.refresh()
await(function() return time() ~= before and time() > 0 end)
report("an edit changes the lens", time() > 0 and time() < 0.6 * before, before .. " -> " .. lens())

-- The launch is written by the server's edit.
local function execute(command, argument)
  return ours().request_sync("workspace/executeCommand", { command = command, arguments = { argument } }, 30000, 0)
end
local uri = vim.uri_from_bufnr(0)
execute("warpwise.setLaunch", { uri = uri, kernel = "row_sum", launch = "grid=2048 block=512" })
await(function() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"):find("grid=2048 block=512") end, 10000)
local all = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
report("set launch writes the comment", all:find("// warpwise: grid=2048 block=512"), all)
vim.lsp.codelens.refresh()
await(function() return lens():find("grid 2048 block 512") end)
report("and the lens follows it", lens():find("grid 2048 block 512"), lens())

-- The lens' own command, as codelens.run does it.
vim.api.nvim_win_set_cursor(0, { 4, 0 })
local actions = vim.lsp.buf_request_sync(0, "textDocument/codeAction", vim.tbl_extend("force", vim.lsp.util.make_range_params(), { context = { diagnostics = {} } }), 30000)
report("code actions at the kernel", vim.inspect(actions):find("warpwise.compareGpus", 1, true), vim.inspect(actions))

if (vim.env.CLANGD or "") ~= "" then -- an empty variable is nil here
  vim.lsp.start({ name = "clangd", cmd = { vim.env.CLANGD, "--background-index=false" }, root_dir = vim.env.DIR })
  local both = await(function()
    local n = 0
    for _, c in pairs(vim.lsp.buf_get_clients(0)) do n = n + (c.initialized and 1 or 0) end
    return n == 2
  end)
  vim.api.nvim_win_set_cursor(0, { 4, 30 })
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 30000) or {}
  local mine = (answers[ours().id] or {}).result
  report("clangd on the same buffer: both answer", both and mine and mine.contents.value:find("| time |", 1, true), vim.inspect(answers))
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "// end" })
  vim.lsp.codelens.refresh()
  await(function() return lens():find("bound by") end)
  report("and the lens stays", lens():find("bound by"), lens())
end

local client = ours()
client.stop()
report("it ends when asked", await(function() return client.is_stopped() end, 10000), "still there")
tap:write("1.." .. count .. "\n")
tap:close()
vim.cmd(failed and "cquit 1" or "qall!")
