;;; client.el --- Emacs and eglot with the configuration of docs/editors.md; prints TAP  -*- lexical-binding: t -*-
(setq package-enable-at-startup nil)
(package-initialize)
(require 'eglot)
(require 'flymake)
(define-derived-mode cuda-mode c++-mode "CUDA") ; of the package of that name
(define-derived-mode opencl-c-mode c-mode "OpenCL")
(add-to-list 'auto-mode-alist '("\\.cu\\'" . cuda-mode))
(load (getenv "SNIPPET") nil t)

(defvar count 0)
(defvar failed nil)
(defun report (text good detail)
  (setq count (1+ count))
  (unless good (setq failed t))
  (princ (format "%s %d - %s\n" (if good "ok" "not ok") count text))
  (unless good (princ (format "# %s\n" (replace-regexp-in-string "\n" "\n# " (format "%S" detail))))))
(defun await (what)
  (let ((until (+ (float-time) 30)) got)
    (while (and (not (setq got (funcall what))) (< (float-time) until))
      (accept-process-output nil 0.05))
    got))

(find-file (expand-file-name "row.cu" (getenv "DIR")))
(setq eglot-sync-connect 30
      eglot-confirm-server-initiated-edits nil)
(apply #'eglot--connect (eglot--guess-contact))
(let ((server (eglot-current-server)))
  (report "eglot connects" server nil)
  (flymake-start)
  (await (lambda () (flymake-diagnostics)))
  (let ((d (car (flymake-diagnostics))))
    (report "a finding as a note at its line"
            (and d (string-match-p "32 sectors" (flymake-diagnostic-text d))
                 (= 9 (line-number-at-pos (flymake-diagnostic-beg d))))
            (flymake-diagnostics)))
  (goto-char (point-min))
  (search-forward "void row_sum")
  (let ((hover (jsonrpc-request server :textDocument/hover (eglot--TextDocumentPositionParams))))
    (report "the report under the cursor" (string-match-p "| time |" (format "%S" hover)) hover))
  (search-forward "c < cols")
  (insert " / 4")
  (eglot--signal-textDocument/didChange) ; else when Emacs is idle
  (let* ((before 542.0)
         (lens (jsonrpc-request server :textDocument/codeLens (list :textDocument (eglot--TextDocumentIdentifier))))
         (title (plist-get (plist-get (aref lens 0) :command) :title)))
    (report "an edit changes the lens" (< 0 (string-to-number title) (* 0.6 before)) title))
  (jsonrpc-request server :workspace/executeCommand
                   (list :command "warpwise.setLaunch"
                         :arguments (vector (list :uri (plist-get (eglot--TextDocumentIdentifier) :uri) :launch "grid=2048 block=512"))))
  (report "set launch writes the comment"
          (await (lambda () (save-excursion (goto-char (point-min)) (search-forward "grid=2048 block=512" nil t))))
          (buffer-string))
  (eglot-shutdown server)
  (report "it ends when asked" (not (jsonrpc-running-p server)) nil))
(princ (format "1..%d\n" count))
(set-buffer-modified-p nil)
(kill-emacs (if failed 1 0))
;;; client.el ends here
